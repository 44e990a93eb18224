#include "dispatch/dispatcher.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "queue/spec_check.h"
#include "spdlog/spdlog.h"
#include "store/devices.h"
#include "store/jobs.h"
#include "support/ids.h"
#include "support/status.h"

namespace kernelopt::server {
namespace {

using support::MutexLock;

constexpr int kProtocolVersion = 1;

LeaseTimes TimesOf(const JobRow& row, int64_t now_us) {
  const v1::Limits& limits = row.job.spec().limits();
  LeaseTimes times;
  times.leased_us = row.lease_boot_us;
  times.heard_us = times.progress_us = now_us;
  times.run_limit_us = static_cast<int64_t>(Seconds(limits.run()) * 1e6);
  times.no_progress_limit_us = static_cast<int64_t>(Seconds(limits.no_progress()) * 1e6);
  times.cancel_requested = row.facts.cancel_requested;
  return times;
}

v1::LeaseId LeaseIdOf(const JobRow& row) {
  v1::LeaseId id;
  id.set_job(row.job.name());
  id.set_attempt(row.facts.attempt);
  id.set_epoch(row.facts.epoch);
  return id;
}

bool Holds(const v1::Hello& hello, const JobRow& row) {
  return std::any_of(hello.held().begin(), hello.held().end(), [&](const v1::LeaseId& held) {
    return held.job() == row.job.name() && held.epoch() == row.facts.epoch;
  });
}

}  // namespace

Dispatcher::Lease Dispatcher::LeaseOf(const JobRow& row, int64_t now_us) {
  return {.times = TimesOf(row, now_us),
          .device = row.job.spec().device(),
          .id = LeaseIdOf(row),
          .priority = row.job.spec().priority(),
          .turn_begun = row.facts.state == v1::JOB_STATE_RUNNING,
          .recallable = row.facts.recalls < kMaxRecalls};
}

LeaseBill Dispatcher::BillOf(const std::string& job) const {
  return {clock_.Now(), options_.policy.half_life_us, logs_.Size(job), options_.policy.quarantine};
}

Dispatcher::Dispatcher(Database& database, Hub& hub, LogFiles& logs, Metrics& metrics,
                       const support::Clock& clock, DispatchOptions options)
    : database_(database),
      hub_(hub),
      logs_(logs),
      metrics_(metrics),
      clock_(clock),
      options_(options),
      boot_id_(support::BootId()) {}

Dispatcher::~Dispatcher() { Stop(); }

absl::Status Dispatcher::Start() {
  std::vector<std::pair<std::string, Lease>> alive;
  absl::Status status = database_.WriteAndWait([&](SQLite::Database& db) -> absl::Status {
    for (const std::string& id : LeasedJobs(db, "")) {
      const absl::StatusOr<JobRow> row = LoadJob(db, id);
      if (!row.ok()) return row.status();
      if (row->boot_id == boot_id_) {
        alive.push_back({id, LeaseOf(*row, clock_.BootUs())});
        continue;
      }
      const auto change = DecideLeaseEnd(row->facts, row->facts.epoch, LeaseEnd::kHostRebooted, "");
      if (change.ok()) EndLease(db, *row, *change, BillOf(id));
    }
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  {
    MutexLock lock(mutex_);
    for (auto& [id, lease] : alive) leases_[id] = std::move(lease);
  }
  timer_ = std::thread([this] { RunTimer(); });
  return absl::OkStatus();
}

void Dispatcher::Stop() {
  v1::AttachResponse drain;
  drain.mutable_drain()->set_reason("kernelopt-d is stopping");
  {
    MutexLock lock(mutex_);
    if (stopping_) return;
    stopping_ = true;
    for (auto& [device, worker] : workers_) worker.link->Send(drain);
    wake_.NotifyAll();
  }
  if (timer_.joinable()) timer_.join();
  hub_.PublishAll();
}

void Dispatcher::Attach(const std::shared_ptr<WorkerLink>& link, const v1::Hello& hello,
                        Attached done) {
  if (hello.protocol_version() < kProtocolVersion) {
    done(support::ReasonError(absl::StatusCode::kFailedPrecondition,
                              support::Reason::VERSION_MISMATCH,
                              absl::StrCat("the worker speaks protocol ", hello.protocol_version(),
                                           ", this server needs ", kProtocolVersion)));
    return;
  }
  const std::string device = support::IdOf(hello.device().name());
  std::string rival;
  {
    MutexLock lock(mutex_);
    const auto other = workers_.find(device);
    const auto silent_us = static_cast<int64_t>(options_.heartbeat_seconds * 2.5e6);
    if (other != workers_.end() && other->second.instance != hello.instance() &&
        clock_.BootUs() - other->second.heard_us < silent_us) {
      rival = other->second.instance;
    }
  }
  if (!rival.empty()) {
    done(support::ReasonError(absl::StatusCode::kAlreadyExists, support::Reason::DEVICE_ATTACHED,
                              absl::StrCat("worker ", rival, " already serves ", device)));
    return;
  }
  auto kept = std::make_shared<std::map<std::string, Lease>>();
  auto lost = std::make_shared<std::vector<std::string>>();
  database_.Write(
      [=, this](SQLite::Database& db) -> absl::Status {
        v1::Device report = hello.device();
        report.set_name(absl::StrCat("devices/", device));
        report.set_worker_version(hello.version());
        PutDevice(db, report, clock_.WallUs());
        for (const std::string& id : LeasedJobs(db, device)) {
          const absl::StatusOr<JobRow> row = LoadJob(db, id);
          if (!row.ok()) return row.status();
          if (hello.boot_id() == row->boot_id && Holds(hello, *row)) {
            (*kept)[id] = LeaseOf(*row, clock_.BootUs());
            continue;
          }
          const auto change =
              DecideLeaseEnd(row->facts, row->facts.epoch, LeaseEnd::kWorkerLost, "");
          if (change.ok()) EndLease(db, *row, *change, BillOf(id));
          lost->push_back(id);
        }
        return absl::OkStatus();
      },
      [=, this](absl::Status status) {
        if (!status.ok()) return done(status);
        v1::Welcome welcome;
        welcome.set_protocol_version(kProtocolVersion);
        welcome.set_version(KOPT_VERSION);
        welcome.set_heartbeat_seconds(options_.heartbeat_seconds);
        welcome.set_lease_seconds(static_cast<double>(options_.terms.lease_us) * 1e-6);
        {
          MutexLock lock(mutex_);
          workers_[device] =
              Worker{link, hello.instance(), hello.boot_id(), clock_.BootUs(), false, false};
          for (const std::string& id : *lost) leases_.erase(id);
          for (const auto& [id, lease] : *kept) {
            *welcome.add_kept() = lease.id;
            leases_[id] = lease;
          }
        }
        spdlog::info("worker {} attached for {}: {} leases kept, {} void", hello.instance(), device,
                     kept->size(), lost->size());
        done(welcome);
      });
}

void Dispatcher::Detach(const WorkerLink* link) {
  MutexLock lock(mutex_);
  const std::string device = DeviceOf(link);
  if (device.empty()) return;
  spdlog::info("worker of {} detached", device);
  workers_.erase(device);
}

std::string Dispatcher::DeviceOf(const WorkerLink* link) const {
  for (const auto& [device, worker] : workers_) {
    if (worker.link.get() == link) return device;
  }
  return "";
}

void Dispatcher::OnMessage(const WorkerLink* link, const v1::AttachRequest& message) {
  std::string device;
  {
    MutexLock lock(mutex_);
    device = DeviceOf(link);
    if (device.empty()) return;
    const int64_t now_us = clock_.BootUs();
    workers_[device].heard_us = now_us;
    for (auto& [id, lease] : leases_) {
      if (lease.device == device) lease.times.heard_us = now_us;
    }
    if (message.has_ready()) workers_[device].ready = true;
  }
  if (message.has_ready()) Offer(device);
  if (message.has_progress()) OnProgress(message.progress());
  if (message.has_log()) OnLog(message.log());
  if (message.has_result()) OnResult(device, message.result());
}

void Dispatcher::SendTo(const std::string& device, const v1::AttachResponse& message) {
  MutexLock lock(mutex_);
  const auto found = workers_.find(device);
  if (found != workers_.end()) found->second.link->Send(message);
}

void Dispatcher::StopLease(const std::string& job) {
  MutexLock lock(mutex_);
  const auto found = leases_.find(job);
  if (found != leases_.end()) found->second.times.cancel_requested = true;
  wake_.NotifyAll();
}

bool Dispatcher::HoldsLease(const std::string& job) const {
  MutexLock lock(mutex_);
  return leases_.count(job) > 0;
}

Dispatcher::Live Dispatcher::LiveOf(const std::string& device) const {
  MutexLock lock(mutex_);
  Live live;
  live.online = workers_.count(device) > 0;
  for (const auto& [id, lease] : leases_) {
    if (lease.device == device) live.job = id;
  }
  return live;
}

bool Dispatcher::AnyOnline() const {
  MutexLock lock(mutex_);
  return !workers_.empty();
}

}  // namespace kernelopt::server
