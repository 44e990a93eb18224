// The worker's side of Attach: keeps a stream to the server, through restarts
// of the server.
//
// The job thread takes leases from here and hands news and results back; it is
// never blocked by the network. A result is on disk before it is sent. While
// the server is away the job goes on; afterwards the session attaches again
// with the leases it holds. Thread-safe.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "agent/spool.h"
#include "kernelopt/v1/blob_service.grpc.pb.h"
#include "kernelopt/v1/worker_service.grpc.pb.h"
#include "support/mutex.h"

namespace kernelopt::worker {

struct SessionOptions {
  std::string socket, token_file;
  v1::Device device;
  // Exit when no server was there for so long and nothing is to be done;
  // 0: never.
  double orphan_seconds = 0;
};

class Session {
 public:
  Session(SessionOptions options, Spool spool);
  ~Session();

  // Says that the worker is free and waits; true: NextLease has an answer.
  bool WaitForLease(std::chrono::milliseconds at_most);
  // Work that came. None: the worker should exit. Waits if need be.
  std::optional<v1::LeaseGrant> NextLease();
  // NextLease has an answer.
  bool LeaseWaits() const;
  // The lease taken last is no longer wanted, or not ours any more.
  bool Stopped() const;
  void Send(v1::ProgressReport report);
  void Send(v1::LogChunk chunk);
  // Ends the lease; durable when OK.
  absl::Status Finish(const v1::ResultReport& report);

  // Bytes of a blob of the leased job. Waits for the server when it is away.
  absl::StatusOr<std::string> Fetch(const std::string& job, const std::string& digest);

  // Exit after the present job.
  void Quit();

 private:
  using Stream = grpc::ClientReaderWriter<v1::AttachRequest, v1::AttachResponse>;

  void RunReader();
  void RunHeartbeat();
  // One life of the stream; returns when it broke.
  void AttachOnce();
  void OnMessage(const v1::AttachResponse& message);
  void OnReceipt(const v1::ResultReceipt& receipt) KOPT_REQUIRES(mutex_);
  bool Write(const v1::AttachRequest& request) KOPT_REQUIRES(mutex_);
  void SendSpooled() KOPT_REQUIRES(mutex_);
  void SayReady() KOPT_REQUIRES(mutex_);
  v1::Hello MakeHello() KOPT_REQUIRES(mutex_);
  bool TimeToExit() const KOPT_REQUIRES(mutex_);

  const SessionOptions options_;
  const std::string instance_, boot_id_;
  std::shared_ptr<grpc::Channel> channel_;

  mutable support::Mutex mutex_;
  support::CondVar wake_;
  Spool spool_ KOPT_GUARDED_BY(mutex_);
  std::unique_ptr<grpc::ClientContext> context_ KOPT_GUARDED_BY(mutex_);
  Stream* stream_ KOPT_GUARDED_BY(mutex_) = nullptr;  // set while attached
  double heartbeat_seconds_ KOPT_GUARDED_BY(mutex_) = 5;
  int64_t last_attached_us_ KOPT_GUARDED_BY(mutex_) = 0;
  std::optional<v1::LeaseGrant> granted_ KOPT_GUARDED_BY(mutex_);  // not taken yet
  std::optional<v1::LeaseId> current_ KOPT_GUARDED_BY(mutex_);     // being worked on
  bool lease_stopped_ KOPT_GUARDED_BY(mutex_) = false;
  bool turn_begun_ KOPT_GUARDED_BY(mutex_) = false;  // of current_: too late for a recall
  bool idle_ KOPT_GUARDED_BY(mutex_) = false;  // the job thread waits in NextLease
  bool draining_ KOPT_GUARDED_BY(mutex_) = false;
  bool quitting_ KOPT_GUARDED_BY(mutex_) = false;
  std::thread reader_, heartbeat_;
};

}  // namespace kernelopt::worker
