// WorkerService; see proto/kernelopt/v1/worker_service.proto.
#pragma once

#include "api/context.h"
#include "kernelopt/v1/worker_service.grpc.pb.h"

namespace kernelopt::server {

class WorkerService final : public v1::WorkerService::CallbackService {
 public:
  explicit WorkerService(ApiContext& api) : api_(api) {}

  grpc::ServerBidiReactor<v1::AttachRequest, v1::AttachResponse>* Attach(
      grpc::CallbackServerContext* context) override;

 private:
  ApiContext& api_;
};

}  // namespace kernelopt::server
