#include "dispatch/dispatcher.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "absl/strings/str_cat.h"
#include "queue/spec_check.h"
#include "spdlog/spdlog.h"
#include "store/dependencies.h"
#include "store/devices.h"
#include "store/jobs.h"
#include "store/search.h"
#include "support/fail_point.h"
#include "support/ids.h"
#include "support/status.h"

namespace kernelopt::server {
namespace {

using support::MutexLock;

constexpr int kProtocolVersion = 1;

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

void Dispatcher::Kick() {
  std::vector<std::string> devices;
  {
    MutexLock lock(mutex_);
    for (const auto& [device, worker] : workers_) devices.push_back(device);
  }
  for (const std::string& device : devices) Offer(device);
  Recall();
}

void Dispatcher::Offer(const std::string& device) {
  Claim claim;
  {
    MutexLock lock(mutex_);
    const auto found = workers_.find(device);
    if (found == workers_.end() || stopping_) return;
    Worker& worker = found->second;
    if (!worker.ready || worker.claiming) return;
    worker.claiming = true;
    claim = Claim{worker.instance, worker.boot_id, device, clock_.Now()};
  }
  auto grant = std::make_shared<v1::LeaseGrant>();
  auto lease = std::make_shared<Lease>();
  database_.Write(
      [=, this](SQLite::Database& db) -> absl::Status {
        const std::optional<JobRow> row = ClaimNext(db, claim, options_.policy);
        if (!row) return absl::OkStatus();
        *grant->mutable_lease() = LeaseIdOf(*row);
        *grant->mutable_spec() = row->job.spec();
        grant->set_owner_uid(row->job.owner_uid());
        *lease = LeaseOf(*row, claim.now.boot_us);
        const int64_t room = LogRoom(db, row->job.owner_uid(), options_.policy);
        if (room < INT64_MAX) lease->log_cap = row->log_bytes + room;
        grant->set_log_bytes(std::min(options_.log_bytes, lease->log_cap));
        return absl::OkStatus();
      },
      [=, this](const absl::Status& status) {
        if (!status.ok()) {  // nothing was committed, whatever the work had filled in
          spdlog::error("claim for {}: {}", device, std::string(status.message()));
          grant->Clear();
        }
        OnClaimed(device, *grant, *lease);
      });
}

void Dispatcher::OnClaimed(const std::string& device, const v1::LeaseGrant& grant,
                           const Lease& lease) {
  v1::AttachResponse message;
  *message.mutable_lease() = grant;
  {
    MutexLock lock(mutex_);
    const auto found = workers_.find(device);
    if (found != workers_.end()) found->second.claiming = false;
    if (!grant.has_lease()) return;
    // Also when the worker has gone meanwhile: the deadline gives it up then.
    leases_[support::IdOf(grant.lease().job())] = lease;
    if (found != workers_.end()) {
      found->second.ready = false;
      found->second.link->Send(message);
    }
  }
  KOPT_FAIL_POINT("daemon.after_lease_sent");
  spdlog::info("{} leased to {} (attempt {})", grant.lease().job(), device,
               grant.lease().attempt());
}

void Dispatcher::Recall() {
  std::set<std::string> devices;
  {
    MutexLock lock(mutex_);
    for (const auto& [id, lease] : leases_) {
      const bool waits = !lease.turn_begun && lease.recallable && !lease.times.recalled;
      if (waits && lease.priority > v1::PRIORITY_INTERACTIVE) devices.insert(lease.device);
    }
  }
  for (const std::string& device : devices) {
    auto best = std::make_shared<std::optional<int>>();
    database_.Read(
        [=, this](SQLite::Database& db) {
          *best = BestClass(db, device, options_.policy, clock_.WallUs());
          return absl::OkStatus();
        },
        [=, this](const absl::Status& status) {
          if (!status.ok() || !*best) return;
          MutexLock lock(mutex_);
          for (auto& [id, lease] : leases_) {
            if (lease.device != device || lease.turn_begun || !lease.recallable) continue;
            if (lease.priority > **best) lease.times.recalled = true;
          }
          wake_.NotifyAll();
        });
  }
}

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

void Dispatcher::SendTo(const std::string& device, const v1::AttachResponse& message) {
  MutexLock lock(mutex_);
  const auto found = workers_.find(device);
  if (found != workers_.end()) found->second.link->Send(message);
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
