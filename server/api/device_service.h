// DeviceService; see proto/kernelopt/v1/device_service.proto.
#pragma once

#include "api/context.h"
#include "kernelopt/v1/device_service.grpc.pb.h"

namespace kernelopt::server {

// Adds what only dispatch knows: online, current job.
void AddLive(v1::Device& device, const Dispatcher& dispatcher);

class DeviceService final : public v1::DeviceService::CallbackService {
 public:
  explicit DeviceService(ApiContext& api) : api_(api) {}

  grpc::ServerUnaryReactor* ListDevices(grpc::CallbackServerContext* context,
                                        const v1::ListDevicesRequest* request,
                                        v1::ListDevicesResponse* response) override;
  grpc::ServerUnaryReactor* GetDevice(grpc::CallbackServerContext* context,
                                      const v1::GetDeviceRequest* request,
                                      v1::GetDeviceResponse* response) override;
  grpc::ServerUnaryReactor* DrainDevice(grpc::CallbackServerContext* context,
                                        const v1::DrainDeviceRequest* request,
                                        v1::DrainDeviceResponse* response) override;
  grpc::ServerUnaryReactor* ResumeDevice(grpc::CallbackServerContext* context,
                                         const v1::ResumeDeviceRequest* request,
                                         v1::ResumeDeviceResponse* response) override;

 private:
  enum class Switch { kDrain, kResume };
  grpc::ServerUnaryReactor* SetDrain(grpc::CallbackServerContext* context, Switch to,
                                     const std::string& name, const std::string& reason,
                                     v1::Device* out);
  ApiContext& api_;
};

}  // namespace kernelopt::server
