// A worker that judges nothing: attaches like a real one, takes leases, answers
// with a small result after a while. For tests of the queue.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "kernelopt/v1/worker_service.grpc.pb.h"

namespace kernelopt::test {

class FakeWorker {
 public:
  struct Options {
    std::string socket, token_file;
    std::string device = "GPU-fake";
    std::string arch;  // of its GPU: "sm_90a"
    // How long a turn lasts.
    std::function<double(const v1::LeaseGrant&)> seconds = [](const v1::LeaseGrant&) { return 0.0; };
    // Stays in the build (no turn begins) for so long.
    std::function<double(const v1::LeaseGrant&)> build_seconds = [](const v1::LeaseGrant&) { return 0.0; };
    // Notices a stop during the build only after it said that its turn began.
    bool begins_turn_when_stopped = false;
    // Ends its leases with a failure of its own.
    bool fails = false;
  };
  explicit FakeWorker(Options options);
  ~FakeWorker();

  // False when the server refused it (see status).
  bool attached() const { return attached_; }
  grpc::Status status() const { return status_; }
  int64_t finished() const { return finished_; }
  int64_t recalled() const { return recalled_; }
  // Sends this as it is and waits for its receipt.
  v1::ResultReceipt Report(const v1::ResultReport& report);
  // Breaks the stream, as a crash would.
  void Break();

 private:
  void Run();
  void Work(const v1::LeaseGrant& grant);
  void Send(const v1::AttachRequest& request);

  const Options options_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::WorkerService::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::AttachRequest, v1::AttachResponse>> stream_;
  std::mutex write_mutex_, receipt_mutex_;
  std::condition_variable receipt_wake_;
  std::optional<v1::ResultReceipt> receipt_;
  std::atomic<bool> attached_{false}, over_{false}, stop_lease_{false};
  std::atomic<int64_t> finished_{0}, recalled_{0};
  grpc::Status status_;
  std::thread reader_, worker_;
  std::mutex lease_mutex_;
  std::condition_variable lease_wake_;
  std::optional<v1::LeaseGrant> lease_;
};

// A result with one CORRECT candidate.
v1::ResultReport GoodReport(const v1::LeaseId& lease);

}  // namespace kernelopt::test
