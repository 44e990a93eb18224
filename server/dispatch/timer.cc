// What time brings about, on the dispatcher's own thread.
#include <chrono>
#include <cstdlib>
#include <utility>

#include "dispatch/dispatcher.h"
#include "spdlog/spdlog.h"
#include "store/dependencies.h"
#include "store/jobs.h"
#include "store/search.h"

namespace kernelopt::server {
namespace {

using support::MutexLock;

const char* StopWord(LeaseEnd why) {
  switch (why) {
    case LeaseEnd::kCancelled:
      return "CANCELLED";
    case LeaseEnd::kRunTimeout:
      return "RUN_TIMEOUT";
    case LeaseEnd::kNoProgress:
      return "NO_PROGRESS";
    case LeaseEnd::kRecalled:
      return "RECALLED";
    default:
      return "LEASE_LOST";
  }
}

}  // namespace

void Dispatcher::RunTimer() {
  constexpr int64_t kSecondUs = 1'000'000;
  int64_t next_sweep_us = 0, next_heartbeat_us = 0;
  for (;;) {
    {
      MutexLock lock(mutex_);
      if (stopping_) return;
      wake_.WaitFor(mutex_, std::chrono::milliseconds(200));
      if (stopping_) return;
    }
    CheckLeases();
    const int64_t now_us = clock_.BootUs();
    if (now_us >= next_sweep_us) {
      next_sweep_us = now_us + kSecondUs;
      TurnQueue();
      Kick();
      if (tick_) tick_();
    }
    if (now_us >= next_heartbeat_us) {
      next_heartbeat_us = now_us + 5 * kSecondUs;
      hub_.PublishAll();
    }
  }
}

void Dispatcher::CheckLeases() {
  std::vector<std::pair<v1::LeaseId, LeaseEnd>> give_up;
  {
    MutexLock lock(mutex_);
    const int64_t now_us = clock_.BootUs();
    for (auto& [id, lease] : leases_) {
      const LeaseStep step = DecideLease(lease.times, options_.terms, now_us);
      if (step.what == LeaseStep::Do::kNothing) continue;
      v1::AttachResponse message;
      *message.mutable_cancel()->mutable_lease() = lease.id;
      message.mutable_cancel()->set_reason(StopWord(step.why));
      const auto worker = workers_.find(lease.device);
      if (worker != workers_.end()) worker->second.link->Send(message);
      if (step.what == LeaseStep::Do::kAskToStop) {
        lease.times.stopping = step.why;
        lease.times.stop_asked_us = now_us;
      } else {
        lease.times.stop_asked_us = now_us;  // not again before the writer has answered
        lease.times.stopping = step.why;
        give_up.emplace_back(lease.id, step.why);
      }
    }
  }
  for (const auto& [id, why] : give_up) ConcludeLease(id, why, "", nullptr);
}

int64_t Dispatcher::ClockJumpUs() {
  constexpr int64_t kJumpUs = 5'000'000;  // slower than this is somebody setting it right
  const support::Instant now = clock_.Now();
  const int64_t ahead_us = now.wall_us - now.boot_us;
  const int64_t jump_us = wall_ahead_us_ == 0 ? 0 : ahead_us - wall_ahead_us_;
  wall_ahead_us_ = ahead_us;
  return std::abs(jump_us) > kJumpUs ? jump_us : 0;
}

// What time brings about: jobs whose hour has come, jobs that waited too long.
void Dispatcher::TurnQueue() {
  constexpr int kIndexed = 500;  // jobs added to the search index in one go
  const int64_t jump_us = ClockJumpUs();
  if (jump_us != 0) {
    spdlog::warn("the clock jumped by {} s; deadlines of waiting jobs move with it",
                 static_cast<double>(jump_us) * 1e-6);
  }
  database_.Write(
      [=, this](SQLite::Database& db) -> absl::Status {
        const support::Instant now = clock_.Now();
        if (jump_us != 0) ShiftDeadlines(db, jump_us);
        ReleaseDue(db, now);
        for (const std::string& id : OverdueJobs(db, now.wall_us)) {
          const absl::StatusOr<JobRow> row = LoadJob(db, id);
          if (!row.ok()) return row.status();
          ApplyChange(db, *row, DecideExpire(), now);
        }
        return absl::OkStatus();
      },
      [](const absl::Status& status) {
        if (!status.ok()) spdlog::error("turning the queue: {}", std::string(status.message()));
      });
  // On its own: a damaged search index must not stop the queue's clock.
  database_.Write(
      [](SQLite::Database& db) {
        IndexNewJobs(db, kIndexed);
        return absl::OkStatus();
      },
      [](const absl::Status& status) {
        if (!status.ok()) spdlog::error("search index: {}", std::string(status.message()));
      });
}

}  // namespace kernelopt::server
