// libkoptclient: talks to kernelopt-d.
//
// A Client is a connection with one stub per service. Every call sets a
// deadline, retries UNAVAILABLE (jittered, five tries) where that is safe, and
// turns gRPC errors into absl::Status with the server's ErrorDetail (see
// support/status.h). Thread-safe.
#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernelopt/v1/blob_service.grpc.pb.h"
#include "kernelopt/v1/device_service.grpc.pb.h"
#include "kernelopt/v1/job_service.grpc.pb.h"
#include "kernelopt/v1/system_service.grpc.pb.h"
#include "support/status.h"

namespace kernelopt::client {

class Client {
 public:
  static constexpr double kDeadlineSeconds = 10;

  // Does not wait: the first call does, up to one second.
  explicit Client(const std::string& socket);

  // Runs a stub method with a deadline; UNAVAILABLE is tried again. Use for reads
  // and for requests that may come twice.
  template <class Request, class Response, class Stub>
  absl::StatusOr<Response> Call(Stub& stub,
                                grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                             Response*),
                                const Request& request, double deadline_s = kDeadlineSeconds) {
    Response response;
    absl::Status status = Retry(deadline_s, [&](grpc::ClientContext& context) {
      return (stub.*method)(&context, request, &response);
    });
    if (!status.ok()) return status;
    return response;
  }

  absl::Status UploadBlob(const std::string& digest, const std::string& bytes);

  // Calls `on_change` for each message until the job has ended or it returns
  // false. Survives restarts of the daemon (resumes by revision) for up to
  // `patience_s` seconds without one. Returns the last state seen.
  absl::StatusOr<v1::Job> Watch(const std::string& job, double patience_s,
                                const std::function<bool(const v1::Job&)>& on_change);

  // Hands out log bytes from `offset` on; returns the next offset.
  absl::StatusOr<int64_t> ReadLog(const std::string& job, int64_t offset, bool follow,
                                  const std::function<void(const std::string&)>& on_data);

  v1::JobService::Stub& jobs() { return *jobs_; }
  v1::DeviceService::Stub& devices() { return *devices_; }
  v1::SystemService::Stub& system() { return *system_; }
  v1::BlobService::Stub& blobs() { return *blobs_; }

 private:
  absl::Status Retry(double deadline_s,
                     const std::function<grpc::Status(grpc::ClientContext&)>& call);

  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::JobService::Stub> jobs_;
  std::unique_ptr<v1::DeviceService::Stub> devices_;
  std::unique_ptr<v1::SystemService::Stub> system_;
  std::unique_ptr<v1::BlobService::Stub> blobs_;
};

bool IsTerminal(v1::JobState state);

}  // namespace kernelopt::client
