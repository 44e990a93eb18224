#include "api/device_service.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "store/catalog.h"

namespace kernelopt::server {

void AddLive(v1::Device& device, const Dispatcher& dispatcher) {
  const Dispatcher::Live live = dispatcher.LiveOf(device.name().substr(device.name().find('/') + 1));
  device.set_online(live.online);
  if (!live.job.empty()) device.set_current_job(absl::StrCat("jobs/", live.job));
}

grpc::ServerUnaryReactor* DeviceService::ListDevices(grpc::CallbackServerContext* context,
                                                     const v1::ListDevicesRequest* request,
                                                     v1::ListDevicesResponse* response) {
  return ReadAndReply(context, api_, [=, this](SQLite::Database& db, const Caller&) -> absl::Status {
    if (request->page_size() < 0) {
      return support::BadRequest({{"page_size", "must not be negative"}});
    }
    const int size = request->page_size() == 0 ? 50 : std::min(request->page_size(), 1000);
    // A box has few devices; the token is the last name of the page before.
    for (v1::Device& device : LoadDevices(db)) {
      if (device.name() <= request->page_token()) continue;
      if (response->devices_size() == size) {
        response->set_next_page_token(response->devices(size - 1).name());
        break;
      }
      AddLive(device, api_.dispatcher);
      *response->add_devices() = std::move(device);
    }
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* DeviceService::GetDevice(grpc::CallbackServerContext* context,
                                                   const v1::GetDeviceRequest* request,
                                                   v1::GetDeviceResponse* response) {
  return ReadAndReply(context, api_, [=, this](SQLite::Database& db, const Caller&) {
    absl::StatusOr<v1::Device> device = LoadDevice(db, request->name());
    if (!device.ok()) return device.status();
    AddLive(*device, api_.dispatcher);
    *response->mutable_device() = *std::move(device);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* DeviceService::SetDrain(grpc::CallbackServerContext* context, Switch to,
                                                  const std::string& name,
                                                  const std::string& reason, v1::Device* out) {
  const bool drain = to == Switch::kDrain;
  return WriteAndReply(
      context, api_,
      [=, this](SQLite::Database& db, const Caller& caller) -> absl::Status {
        if (absl::Status s = RequireOperator(caller); !s.ok()) return s;
        if (absl::Status s = SetDrained(db, name, drain, reason, caller.uid); !s.ok()) return s;
        AddAudit(db, api_.clock.WallUs(), caller.uid, drain ? "DRAIN_DEVICE" : "RESUME_DEVICE",
                 name, reason);
        absl::StatusOr<v1::Device> device = LoadDevice(db, name);
        if (!device.ok()) return device.status();
        AddLive(*device, api_.dispatcher);
        *out = *std::move(device);
        return absl::OkStatus();
      },
      [this] { api_.dispatcher.Kick(); });
}

grpc::ServerUnaryReactor* DeviceService::DrainDevice(grpc::CallbackServerContext* context,
                                                     const v1::DrainDeviceRequest* request,
                                                     v1::DrainDeviceResponse* response) {
  return SetDrain(context, Switch::kDrain, request->name(), request->reason(),
                  response->mutable_device());
}

grpc::ServerUnaryReactor* DeviceService::ResumeDevice(grpc::CallbackServerContext* context,
                                                      const v1::ResumeDeviceRequest* request,
                                                      v1::ResumeDeviceResponse* response) {
  return SetDrain(context, Switch::kResume, request->name(), "", response->mutable_device());
}

}  // namespace kernelopt::server
