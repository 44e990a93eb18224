// DeviceService; see proto/kernelopt/v1/device_service.proto.
#pragma once

#include "api/context.h"
#include "kernelopt/v1/device_service.grpc.pb.h"

namespace kernelopt::server {

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

  grpc::ServerUnaryReactor* ReserveDevice(grpc::CallbackServerContext* context,
                                          const v1::ReserveDeviceRequest* request,
                                          v1::ReserveDeviceResponse* response) override;
  grpc::ServerUnaryReactor* UnreserveDevice(grpc::CallbackServerContext* context,
                                            const v1::UnreserveDeviceRequest* request,
                                            v1::UnreserveDeviceResponse* response) override;

 private:
  // An operator's change of one device, audited.
  struct Operation {
    const char* action;
    std::string detail;
    std::function<absl::Status(SQLite::Database&, const Caller&)> apply;
  };
  grpc::ServerUnaryReactor* Operate(grpc::CallbackServerContext* context, const std::string& name,
                                    Operation operation, v1::Device* out);
  ApiContext& api_;
};

}  // namespace kernelopt::server
