#include "metrics/metrics.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <map>

#include "absl/strings/ascii.h"
#include "google/protobuf/util/time_util.h"
#include "queue/lifecycle.h"
#include "queue/quarantine.h"
#include "store/blob_rows.h"
#include "store/leases.h"
#include "store/switches.h"
#include "support/ids.h"
#include "support/mutex.h"

namespace kernelopt::server {
namespace {

using google::protobuf::util::TimeUtil;
using Buckets = prometheus::Histogram::BucketBoundaries;

const Buckets kWaits = {0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14400, 86400};
const Buckets kRuns = {0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900};
const Buckets kShort = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5};
const Buckets kGroups = {1, 2, 4, 8, 16, 32, 64, 128, 256};

double Between(const google::protobuf::Timestamp& from, const google::protobuf::Timestamp& to) {
  return std::max(0.0, static_cast<double>(TimeUtil::TimestampToMicroseconds(to) -
                                           TimeUtil::TimestampToMicroseconds(from)) * 1e-6);
}

// How a job ended: its verdict where it has one, else its state.
std::string OutcomeOf(const v1::Job& job) {
  if (job.state() != v1::JOB_STATE_SUCCEEDED) return absl::AsciiStrToLower(StateName(job.state()));
  const std::string verdict = v1::Verdict_Name(job.summary().verdict());
  return verdict.empty() ? "other"  // of a newer worker
                         : absl::AsciiStrToLower(verdict.substr(std::string("VERDICT_").size()));
}

const char* ClassName(int priority) {
  return priority == 1 ? "interactive" : priority == 2 ? "normal" : "batch";
}

using Registry = prometheus::Registry;

prometheus::Family<prometheus::Counter>& Counter(const char* name, const char* help, Registry& registry) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}
prometheus::Family<prometheus::Gauge>& Gauge(const char* name, const char* help, Registry& registry) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}
prometheus::Family<prometheus::Histogram>& Histogram(const char* name, const char* help,
                                                     Registry& registry) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
}

}  // namespace

struct Metrics::Families {
  prometheus::Registry registry;
  prometheus::Family<prometheus::Gauge>& build_info =
      Gauge("kernelopt_build_info", "Version of the daemon; always 1.", registry);
  prometheus::Family<prometheus::Gauge>& jobs =
      Gauge("kernelopt_jobs", "Jobs by state, archived ones left out.", registry);
  prometheus::Family<prometheus::Histogram>& queue_seconds = Histogram(
      "kernelopt_job_queue_seconds", "From creation to the first lease, by class.", registry);
  prometheus::Family<prometheus::Histogram>& run_seconds =
      Histogram("kernelopt_job_run_seconds", "From the start of the turn to the end.", registry);
  prometheus::Family<prometheus::Counter>& finished = Counter(
      "kernelopt_jobs_finished_total", "Ended jobs by outcome and device.", registry);
  prometheus::Family<prometheus::Gauge>& oldest = Gauge(
      "kernelopt_queue_oldest_seconds", "How long the oldest claimable job has waited.", registry);
  prometheus::Family<prometheus::Counter>& lost =
      Counter("kernelopt_leases_expired_total", "Leases that ended without a result.", registry);
  prometheus::Family<prometheus::Counter>& refused =
      Counter("kernelopt_results_refused_total", "Results that came too late.", registry);
  prometheus::Family<prometheus::Counter>& busy =
      Counter("kernelopt_gpu_busy_seconds_total", "Seconds of turns by device.", registry);
  prometheus::Family<prometheus::Gauge>& drained =
      Gauge("kernelopt_gpu_drained", "1 while a device takes no new jobs.", registry);
  prometheus::Family<prometheus::Gauge>& faulty =
      Gauge("kernelopt_gpu_faulty", "1 while a device does not work or is in quarantine.", registry);
  prometheus::Family<prometheus::Gauge>& online =
      Gauge("kernelopt_gpu_online", "1 while a worker is attached.", registry);
  prometheus::Family<prometheus::Histogram>& commit_seconds =
      Histogram("kernelopt_db_commit_seconds", "One group commit, with its work.", registry);
  prometheus::Family<prometheus::Histogram>& commit_items =
      Histogram("kernelopt_db_commit_items", "Changes that shared a commit.", registry);
  prometheus::Family<prometheus::Gauge>& cas_bytes =
      Gauge("kernelopt_cas_bytes", "Bytes of blobs on users' accounts.", registry);
  prometheus::Family<prometheus::Gauge>& disk_free =
      Gauge("kernelopt_disk_free_bytes", "Free in the state directory.", registry);
  prometheus::Family<prometheus::Gauge>& closed = Gauge(
      "kernelopt_closed", "1 while nothing starts (paused) or is taken (refusing).", registry);
  prometheus::Family<prometheus::Histogram>& rpc_seconds =
      Histogram("kernelopt_rpc_seconds", "Calls by method and code; streams count to their end.",
                registry);

  // A worker that cannot open its device does not know the model either: a series
  // that nobody sets any more would tell of it for ever.
  void ForgetOtherModels(const v1::Device& device) {
    const support::MutexLock lock(mutex);
    const auto [known, fresh] = models.try_emplace(device.name(), device.model());
    if (fresh || known->second == device.model()) return;
    const prometheus::Labels old = {{"device", support::IdOf(device.name())}, {"model", known->second}};
    for (auto* family : {&online, &drained, &faulty}) family->Remove(&family->Add(old));
    known->second = device.model();
  }
  support::Mutex mutex;
  std::map<std::string, std::string> models KOPT_GUARDED_BY(mutex);  // by device

  prometheus::Histogram& commit = commit_seconds.Add({}, kShort);
  prometheus::Histogram& items = commit_items.Add({}, kGroups);
};

Metrics::Metrics() : families_(std::make_unique<Families>()) {
  families_->build_info.Add({{"version", KOPT_VERSION}}).Set(1);
}
Metrics::~Metrics() = default;

void Metrics::Rpc(const std::string& method, const std::string& code, double seconds) {
  families_->rpc_seconds.Add({{"method", method}, {"code", code}}, kShort).Observe(seconds);
}

void Metrics::Commit(double seconds, int64_t items) {
  families_->commit.Observe(seconds);
  families_->items.Observe(static_cast<double>(items));
}

void Metrics::ResultRefused(const std::string& reason) {
  families_->refused.Add({{"reason", reason}}).Increment();
}

void Metrics::Jobs(SQLite::Database& db, const std::vector<JobEvent>& events) {
  for (const JobEvent& event : events) {
    const bool lost = IsFault(event.reason) || event.reason == "HOST_REBOOTED";
    if (lost) families_->lost.Add({{"reason", absl::AsciiStrToLower(event.reason)}}).Increment();
    if (!IsTerminal(event.state)) continue;
    const absl::StatusOr<JobRow> row = LoadJob(db, event.public_id);
    if (!row.ok()) continue;
    const v1::Job& job = row->job;
    // What users type must not become a series: only devices that took the job.
    const std::string device = job.has_lease_time() ? job.spec().device() : "none";
    families_->finished.Add({{"outcome", OutcomeOf(job)}, {"device", device}}).Increment();
    if (job.has_lease_time()) {
      families_->queue_seconds.Add({{"class", ClassName(job.spec().priority())}}, kWaits)
          .Observe(Between(job.create_time(), job.lease_time()));
    }
    if (job.has_start_time()) {
      const double run_s = Between(job.start_time(), job.finish_time());
      families_->run_seconds.Add({{"device", device}}, kRuns).Observe(run_s);
      families_->busy.Add({{"device", device}}).Increment(run_s);
    }
  }
}

std::string Metrics::Text(SQLite::Database& db, const Levels& levels) {
  for (const v1::StateCount& count : JobCounts(db)) {
    families_->jobs.Add({{"state", absl::AsciiStrToLower(count.state())}})
        .Set(static_cast<double>(count.count()));
  }
  for (int priority = 1; priority <= 3; ++priority) {
    const int64_t since_us = OldestReadyUs(db, priority);
    const double waited_s = since_us == 0 ? 0 : static_cast<double>(levels.now_us - since_us) * 1e-6;
    families_->oldest.Add({{"class", ClassName(priority)}}).Set(std::max(0.0, waited_s));
  }
  for (const v1::Device& device : levels.devices) {
    families_->ForgetOtherModels(device);
    const prometheus::Labels labels = {{"device", support::IdOf(device.name())}, {"model", device.model()}};
    families_->online.Add(labels).Set(device.online() ? 1 : 0);
    families_->drained.Add(labels).Set(device.drained() ? 1 : 0);
    families_->faulty.Add(labels).Set(device.fault().empty() || device.has_quarantined_uid() ? 0 : 1);
  }
  families_->cas_bytes.Add({}).Set(static_cast<double>(BlobBytes(db)));
  families_->disk_free.Add({}).Set(static_cast<double>(levels.disk_free_bytes));
  families_->closed.Add({{"how", "paused"}}).Set(levels.paused ? 1 : 0);
  families_->closed.Add({{"how", "refusing"}}).Set(levels.refusing ? 1 : 0);
  return prometheus::TextSerializer().Serialize(families_->registry.Collect());
}

}  // namespace kernelopt::server
