#include "agent/job_runner.h"

#include <atomic>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "judge/subject.h"
#include "spdlog/spdlog.h"
#include "support/ids.h"

namespace kernelopt::worker {
namespace {

// Where output of the present job's processes goes. The reference process is
// started before its job is known, so its log finds the job through this.
class LogTap {
 public:
  void Set(JobSink* sink) {
    const std::lock_guard<std::mutex> lock(mutex_);
    sink_ = sink;
  }
  void Log(std::string_view text) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (sink_ != nullptr) sink_->Log(text);
  }
  static LogTap& Get() {
    static LogTap tap;
    return tap;
  }

 private:
  std::mutex mutex_;
  JobSink* sink_ = nullptr;
};

class LeaseSink final : public JobSink {
 public:
  LeaseSink(Session& session, const v1::LeaseGrant& grant) : session_(session), grant_(grant) {}

  void Progress(v1::Stage stage, int done, int total, const std::string& message) override {
    v1::ProgressReport report;
    *report.mutable_lease() = grant_.lease();
    report.mutable_progress()->set_stage(stage);
    report.mutable_progress()->set_done(done);
    report.mutable_progress()->set_total(total);
    report.mutable_progress()->set_message(message);
    session_.Send(std::move(report));
  }

  void TurnBegun() {
    v1::ProgressReport report;
    *report.mutable_lease() = grant_.lease();
    report.mutable_progress()->set_stage(v1::STAGE_VERIFY);
    report.set_turn_begun(true);
    session_.Send(std::move(report));
  }

  void Log(std::string_view text) override {
    constexpr size_t kPiece = 64 << 10;
    const std::lock_guard<std::mutex> lock(mutex_);
    while (!text.empty() && offset_ <= grant_.log_bytes()) {
      v1::LogChunk chunk;
      *chunk.mutable_lease() = grant_.lease();
      chunk.set_offset(offset_);
      chunk.set_data(std::string(text.substr(0, kPiece)));
      text.remove_prefix(std::min(kPiece, text.size()));
      offset_ += static_cast<int64_t>(chunk.data().size());
      session_.Send(std::move(chunk));
    }
  }

  bool Stopped() const override { return session_.Stopped(); }

 private:
  Session& session_;
  const v1::LeaseGrant& grant_;
  std::mutex mutex_;
  int64_t offset_ = 0;
};

// Whose reference process may serve again: the same user's, on the same problem.
std::string KeyOf(const v1::LeaseGrant& grant) {
  const v1::SourceFile& reference = grant.spec().problem().reference();
  return absl::StrCat(grant.owner_uid(), "/", reference.digest(), "/", reference.path());
}

// Whose candidates may share a process: the same user's, of the same run.
std::string RunOf(const v1::LeaseGrant& grant) {
  return grant.spec().run().empty() ? "" : absl::StrCat(grant.owner_uid(), "/", grant.spec().run());
}

// Nothing may run here: says so of every subject.
v1::JobResult Refuse(const v1::JobSpec& spec, const std::string& reason, const std::string& message) {
  v1::JobResult result;
  result.set_protocol("kopt-1");
  for (const v1::SubjectSpec& subject : spec.subjects()) {
    Subject refused(subject);
    refused.Condemn({v1::VERDICT_UNAVAILABLE, reason, message, {}});
    *result.add_subjects() = refused.record();
  }
  return result;
}

}  // namespace

void JobRunner::MakeSpares() {
  if (bench_.sandbox_level == "none") return;
  bench_.python.log = bench_.runner.log = [](std::string_view text) { LogTap::Get().Log(text); };
  bench_.spares->Refill();
  if (spare_ && spare_->Wake().ok()) return;
  auto spare = Reference::Start(bench_.device, bench_.python);
  if (spare.ok()) {
    spare_ = *std::move(spare);
  } else {
    spdlog::warn("no spare reference process: {}", std::string(spare.status().message()));
  }
}

void JobRunner::Run(const v1::LeaseGrant& grant) {
  spdlog::info("{} attempt {} begins", grant.lease().job(), grant.lease().attempt());
  const v1::ResultReport report = Work(grant);
  LogTap::Get().Set(nullptr);
  if (absl::Status s = session_.Finish(report); !s.ok()) {
    spdlog::error("{}: result neither spooled nor sent: {}", grant.lease().job(),
                  std::string(s.message()));
  }
  spdlog::info("{} attempt {} ends", grant.lease().job(), grant.lease().attempt());
  if (used_) warm_.Park(KeyOf(grant), std::move(used_));
}

v1::ResultReport JobRunner::Work(const v1::LeaseGrant& grant) {
  v1::ResultReport report;
  *report.mutable_lease() = grant.lease();
  if (bench_.sandbox_level == "none") {
    *report.mutable_result() =
        Refuse(grant.spec(), "SANDBOX_LEVEL",
               "this worker has no sandbox of level standard; `koptctl doctor` says what is missing");
    return report;
  }
  LeaseSink sink(session_, grant);
  LogTap::Get().Set(&sink);
  std::unique_ptr<Reference> reference = warm_.Take(KeyOf(grant));
  if (reference) {
    // The spare one may still be importing, on the CPU of the runners.
    if (spare_ && !spare_->Pause().ok()) spare_.reset();
  } else {
    MakeSpares();
    reference = std::move(spare_);
  }
  if (!reference) {
    report.mutable_failure()->set_reason("REFERENCE_PROCESS");
    report.mutable_failure()->set_message("the reference process cannot be started");
    return report;
  }
  bench_.run = reuse_runners_ ? RunOf(grant) : "";
  bench_.spares->EndUsedBut(bench_.run);
  const Fetch fetch = [&](const std::string& digest) {
    return session_.Fetch(grant.lease().job(), digest);
  };
  absl::StatusOr<v1::JobResult> result = absl::InternalError("");
  try {
    // To add a job kind: its file in judge/, a branch here.
    result = RunBenchmark(grant.spec(), bench_, fetch, *reference, sink, [&] { sink.TurnBegun(); });
  } catch (const std::exception& error) {  // of a library, or memory: this job's end, not the worker's
    result = absl::InternalError(error.what());
  }
  LogTap::Get().Set(nullptr);
  if (result.ok()) {
    used_ = std::move(reference);
    *report.mutable_result() = *std::move(result);
  } else if (sink.Stopped()) {
    report.mutable_stopped();
  } else {
    report.mutable_failure()->set_reason("WORKER_FAULT");
    report.mutable_failure()->set_message(support::ValidUtf8(std::string(result.status().message())));
  }
  return report;
}

}  // namespace kernelopt::worker
