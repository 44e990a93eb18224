#include "metrics/rpc_watch.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <array>

#include "support/clock.h"

namespace kernelopt::server {
namespace {

const char* CodeName(grpc::StatusCode code) {
  constexpr std::array<const char*, 17> kNames = {
      "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
      "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
      "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
      "UNAUTHENTICATED"};
  const auto index = static_cast<size_t>(code);
  return index < kNames.size() ? kNames[index] : "UNKNOWN";
}

class Watch final : public grpc::experimental::Interceptor {
 public:
  Watch(Metrics& metrics, const char* method)
      : metrics_(metrics), method_(method), begin_s_(support::MonotonicSeconds()) {}

  void Intercept(grpc::experimental::InterceptorBatchMethods* methods) override {
    using Point = grpc::experimental::InterceptionHookPoints;
    if (methods->QueryInterceptionHookPoint(Point::PRE_SEND_STATUS)) {
      metrics_.Rpc(method_, CodeName(methods->GetSendStatus().error_code()),
                   support::MonotonicSeconds() - begin_s_);
    }
    methods->Proceed();
  }

 private:
  Metrics& metrics_;
  const std::string method_;
  const double begin_s_;
};

}  // namespace

grpc::experimental::Interceptor* RpcWatch::CreateServerInterceptor(
    grpc::experimental::ServerRpcInfo* info) {
  // `/kernelopt.v1.JobService/CreateJob` -> `JobService/CreateJob`; any other
  // text a client may send is one label, not one series each.
  const std::string method = info->method();
  constexpr char kOurs[] = "/kernelopt.v1.";
  std::string full = method.substr(std::min<size_t>(method.size(), 1));
  std::replace(full.begin(), full.end(), '/', '.');
  const bool ours = method.rfind(kOurs, 0) == 0 &&
                    google::protobuf::DescriptorPool::generated_pool()->FindMethodByName(full) != nullptr;
  return new Watch(metrics_, ours ? method.c_str() + sizeof kOurs - 1 : "other");
}

}  // namespace kernelopt::server
