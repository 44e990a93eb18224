// What workers say of their leases, and how a lease ends.
#include "absl/strings/str_cat.h"
#include "dispatch/dispatcher.h"
#include "spdlog/spdlog.h"
#include "store/jobs.h"
#include "support/fail_point.h"
#include "support/ids.h"
#include "support/statement.h"
#include "support/status.h"

namespace kernelopt::server {

using support::MutexLock;

namespace {

// Whatever the worker put there is overwritten.
absl::Status SignResult(const support::SigningKey& key, const v1::JobSpec& spec, v1::JobResult& result) {
  result.clear_signature();
  const std::string statement = support::StatementOf(result, support::SpecDigest(spec));
  const auto signature = support::Sign(key, statement);
  if (!signature.ok()) return signature.status();
  v1::Signature& out = *result.mutable_signature();
  out.set_algorithm("ed25519");
  out.set_key_id(support::KeyId(key.shown));
  out.set_public_key(key.shown);
  out.set_signature(*signature);
  out.set_statement(statement);
  return absl::OkStatus();
}

}  // namespace

void Dispatcher::OnProgress(const v1::ProgressReport& report) {
  const std::string id = support::IdOf(report.lease().job());
  {
    MutexLock lock(mutex_);
    const auto found = leases_.find(id);
    if (found == leases_.end() || found->second.id.epoch() != report.lease().epoch()) return;
    found->second.times.progress_us = clock_.BootUs();
    if (report.turn_begun()) {
      found->second.turn_begun = true;
      found->second.times.TurnBegun();
    }
  }
  hub_.SetProgress(id, report.progress());
  if (!report.turn_begun()) return;
  database_.Write(
      [=, this](SQLite::Database& db) -> absl::Status {
        const absl::StatusOr<JobRow> row = LoadJob(db, id);
        if (!row.ok()) return row.status();
        const auto change = DecideTurn(row->facts, report.lease().epoch());
        if (!change.ok()) return change.status();
        ApplyChange(db, *row, *change, clock_.Now());
        return absl::OkStatus();
      },
      nullptr);
}

void Dispatcher::OnLog(const v1::LogChunk& chunk) {
  const std::string id = support::IdOf(chunk.lease().job());
  int64_t cap = 0;
  {
    MutexLock lock(mutex_);
    const auto found = leases_.find(id);
    if (found == leases_.end() || found->second.id.epoch() != chunk.lease().epoch()) return;
    found->second.times.progress_us = clock_.BootUs();
    cap = found->second.log_cap;
  }
  // Appending 64 KiB to the page cache; the disk is not waited for.
  const absl::Status status =
      logs_.Append(id, chunk.lease().attempt(), chunk.offset(), chunk.data(), cap);
  if (!status.ok()) spdlog::warn("log of jobs/{}: {}", id, std::string(status.message()));
  hub_.Publish(id);
}

void Dispatcher::OnResult(const std::string& device, const v1::ResultReport& report) {
  const v1::LeaseId lease = report.lease();
  const std::string id = support::IdOf(lease.job());
  if (!report.has_result()) {
    // A worker that stopped without our knowing why (we were restarted, or its
    // turn began while a recall was under way) gave the job back: whether that
    // is its end, the job's own cancel_requested says.
    LeaseEnd why = report.has_failure() ? LeaseEnd::kWorkerError : LeaseEnd::kRecalled;
    {
      MutexLock lock(mutex_);
      const auto found = leases_.find(id);
      if (found != leases_.end() && found->second.times.stopping) {
        why = *found->second.times.stopping;
      }
    }
    const std::string message =
        report.has_failure()
            ? absl::StrCat(report.failure().reason(), ": ", report.failure().message())
            : "";
    ConcludeLease(lease, why, message,
             [=, this](const absl::Status& status) { Receipt(device, lease, status); });
    return;
  }
  {
    MutexLock lock(mutex_);
    const auto found = leases_.find(id);
    if (found != leases_.end() && found->second.id.epoch() == lease.epoch()) {
      found->second.times.result_waits = true;
    }
  }
  auto stored = std::make_shared<v1::JobResult>(report.result());
  database_.Write(
      [=, this](SQLite::Database& db) -> absl::Status {
        const absl::StatusOr<JobRow> row = LoadJob(db, id);
        if (!row.ok()) return row.status();
        const auto change = DecideResult(row->facts, lease.epoch());
        if (!change.ok()) return change.status();
        stored->set_job(lease.job());
        stored->set_attempt(lease.attempt());
        if (absl::Status s = SignResult(options_.key, row->job.spec(), *stored); !s.ok()) return s;
        InsertResult(db, *row, *change, *stored, BillOf(id));
        return absl::OkStatus();
      },
      [=, this](const absl::Status& status) {
        if (status.ok()) {
          Forget(id);
          spdlog::info("{} has a result", lease.job());
        }
        Receipt(device, lease, status);
      });
}

void Dispatcher::ConcludeLease(const v1::LeaseId& id, LeaseEnd why, const std::string& message,
                          std::function<void(absl::Status)> done) {
  const std::string job = support::IdOf(id.job());
  database_.Write(
      [=, this](SQLite::Database& db) -> absl::Status {
        const absl::StatusOr<JobRow> row = LoadJob(db, job);
        if (!row.ok()) return row.status();
        const auto change = DecideLeaseEnd(row->facts, id.epoch(), why, message);
        if (!change.ok()) return change.status();
        EndLease(db, *row, *change, BillOf(job));
        spdlog::info("{} attempt {} ended: {} {}", id.job(), id.attempt(), change->attempt_end,
                     message);
        return absl::OkStatus();
      },
      [=, this](const absl::Status& status) {
        {
          MutexLock lock(mutex_);
          // After a failed commit the lease is still watched, and tried again.
          const bool settled = status.ok() || absl::IsFailedPrecondition(status) ||
                               absl::IsNotFound(status);
          const auto found = leases_.find(job);
          if (settled && found != leases_.end() && found->second.id.epoch() == id.epoch()) {
            leases_.erase(found);
          }
        }
        if (done) done(status);
        hub_.ClearProgress(job);
        logs_.Close(job);
        Kick();
      });
}

void Dispatcher::Forget(const std::string& job) {
  hub_.ClearProgress(job);
  logs_.Close(job);
  MutexLock lock(mutex_);
  leases_.erase(job);
}

void Dispatcher::Receipt(const std::string& device, const v1::LeaseId& id,
                         const absl::Status& status) {
  const bool refused = status.code() == absl::StatusCode::kFailedPrecondition ||
                       status.code() == absl::StatusCode::kNotFound;
  // Anything else (disk full, say): no receipt, the worker sends it again.
  if (!status.ok() && !refused) {
    spdlog::error("result of {}: {}", id.job(), std::string(status.message()));
    return;
  }
  KOPT_FAIL_POINT("daemon.before_receipt");
  v1::AttachResponse message;
  *message.mutable_receipt()->mutable_lease() = id;
  message.mutable_receipt()->set_accepted(status.ok());
  if (refused) {
    message.mutable_receipt()->set_reason(support::DetailOf(status).reason());
    metrics_.ResultRefused(message.receipt().reason());
  }
  SendTo(device, message);
}

}  // namespace kernelopt::server
