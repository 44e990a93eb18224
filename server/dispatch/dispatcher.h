// Brings jobs to workers: who is attached, who holds which lease, until when.
//
// Decisions come from queue/, durable state is in store/; what is kept here
// (links, deadlines, progress) is rebuilt after a restart: every lease of this
// boot gets one fresh term, leases of another boot are void at once. Whoever
// watches a job is woken by the store's commit (daemon.cc), not from here.
// Attaching is in dispatcher.cc, what goes out in offers.cc, what comes back in
// reports.cc, what time brings about in timer.cc.
// Thread-safe; nothing blocks except Start and Stop.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dispatch/hub.h"
#include "kernelopt/v1/worker_service.pb.h"
#include "logs/log_files.h"
#include "metrics/metrics.h"
#include "queue/lease_watch.h"
#include "store/database.h"
#include "store/leases.h"
#include "support/clock.h"
#include "support/ed25519.h"
#include "support/mutex.h"

namespace kernelopt::server {

// The sending side of one attached worker. Send never blocks and may be called
// from any thread, also after the stream ended.
class WorkerLink {
 public:
  virtual ~WorkerLink() = default;
  virtual void Send(const v1::AttachResponse& message) = 0;
};

struct DispatchOptions {
  LeaseTerms terms;
  double heartbeat_seconds = 5;
  int64_t log_bytes = 4 << 20;
  QueuePolicy policy;
  support::SigningKey key;  // results are signed with it when they are accepted
};

class Dispatcher {
 public:
  Dispatcher(Database& database, Hub& hub, LogFiles& logs, Metrics& metrics,
             const support::Clock& clock, DispatchOptions options);
  ~Dispatcher();

  absl::Status Start();
  // Tells workers to finish and exit; stops the timer.
  void Stop();

  // --- for WorkerService ---
  // `done` gets the Welcome, or ALREADY_EXISTS DEVICE_ATTACHED, or
  // FAILED_PRECONDITION VERSION_MISMATCH. A kept lease goes on.
  using Attached = std::function<void(absl::StatusOr<v1::Welcome>)>;
  void Attach(const std::shared_ptr<WorkerLink>& link, const v1::Hello& hello, Attached done);
  void Detach(const WorkerLink* link);
  // Any message after Hello.
  void OnMessage(const WorkerLink* link, const v1::AttachRequest& message);

  // --- for JobService, DeviceService, SystemService ---
  // Something may have become startable.
  void Kick();
  // The store says the job is to be cancelled; stop its worker.
  void StopLease(const std::string& job);
  // A worker with a live lease on the job is attached.
  bool HoldsLease(const std::string& job) const;

  struct Live {
    bool online = false;
    std::string job;  // public id or empty
  };
  Live LiveOf(const std::string& device) const;
  bool AnyOnline() const;

  // Called about once a second on the timer thread, for housekeeping of others.
  void OnTick(std::function<void()> callback) { tick_ = std::move(callback); }

 private:
  struct Worker {
    std::shared_ptr<WorkerLink> link;
    std::string instance, boot_id;
    int64_t heard_us = 0;
    bool ready = false;     // asked for a lease
    bool claiming = false;  // a claim is on its way to the writer
  };
  struct Lease {
    LeaseTimes times;
    std::string device;
    v1::LeaseId id;
    v1::Priority priority = v1::PRIORITY_UNSPECIFIED;
    bool turn_begun = false;
    bool recallable = true;      // not recalled too often yet
    int64_t log_cap = INT64_MAX;  // what its owner may still write
  };
  static Lease LeaseOf(const JobRow& row, int64_t now_us);

  // Asks leases back whose turn has not begun while a job of a higher class
  // could start.
  void Recall();
  void Offer(const std::string& device);
  void OnClaimed(const std::string& device, const v1::LeaseGrant& grant, const Lease& lease);
  void OnProgress(const v1::ProgressReport& report);
  void OnLog(const v1::LogChunk& chunk);
  void OnResult(const std::string& device, const v1::ResultReport& report);
  void ConcludeLease(const v1::LeaseId& id, LeaseEnd why, const std::string& message,
                std::function<void(absl::Status)> done);
  void Forget(const std::string& job);
  LeaseBill BillOf(const std::string& job) const;
  void SendTo(const std::string& device, const v1::AttachResponse& message);
  void Receipt(const std::string& device, const v1::LeaseId& id, const absl::Status& status);
  void RunTimer();
  void CheckLeases();
  void TurnQueue();
  int64_t ClockJumpUs();
  std::string DeviceOf(const WorkerLink* link) const KOPT_REQUIRES(mutex_);

  Database& database_;
  Hub& hub_;
  LogFiles& logs_;
  Metrics& metrics_;
  const support::Clock& clock_;
  const DispatchOptions options_;
  const std::string boot_id_;
  std::function<void()> tick_;
  int64_t wall_ahead_us_ = 0;  // of boot time, at the last look; timer thread

  mutable support::Mutex mutex_;
  support::CondVar wake_;
  bool stopping_ KOPT_GUARDED_BY(mutex_) = false;
  std::map<std::string, Worker> workers_ KOPT_GUARDED_BY(mutex_);  // by device
  std::map<std::string, Lease> leases_ KOPT_GUARDED_BY(mutex_);    // by public job id
  std::thread timer_;
};

}  // namespace kernelopt::server
