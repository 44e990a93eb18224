// Measures every call of a gRPC server.
#pragma once

#include <grpcpp/support/server_interceptor.h>

#include "metrics/metrics.h"

namespace kernelopt::server {

class RpcWatch final : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  explicit RpcWatch(Metrics& metrics) : metrics_(metrics) {}
  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo* info) override;

 private:
  Metrics& metrics_;
};

}  // namespace kernelopt::server
