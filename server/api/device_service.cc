#include "api/device_service.h"

#include "absl/strings/str_cat.h"
#include "api/waiting.h"
#include "google/protobuf/util/time_util.h"
#include "store/devices.h"
#include "store/page.h"
#include "store/switches.h"

namespace kernelopt::server {

using google::protobuf::util::TimeUtil;

grpc::ServerUnaryReactor* DeviceService::ListDevices(grpc::CallbackServerContext* context,
                                                     const v1::ListDevicesRequest* request,
                                                     v1::ListDevicesResponse* response) {
  return ReadAndReply(context, api_, [=, this](SQLite::Database& db, const Caller&) -> absl::Status {
    const absl::StatusOr<int> size = PageSize(request->page_size());
    if (!size.ok()) return size.status();
    // A box has few devices; the token is the last name of the page before.
    for (v1::Device& device : LiveDevices(db, api_)) {
      if (device.name() <= request->page_token()) continue;
      if (response->devices_size() == *size) {
        response->set_next_page_token(response->devices(*size - 1).name());
        break;
      }
      *response->add_devices() = std::move(device);
    }
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* DeviceService::GetDevice(grpc::CallbackServerContext* context,
                                                   const v1::GetDeviceRequest* request,
                                                   v1::GetDeviceResponse* response) {
  return ReadAndReply(context, api_, [=, this](SQLite::Database& db, const Caller&) {
    absl::StatusOr<v1::Device> device = LoadDevice(db, request->name(), api_.clock.WallUs());
    if (!device.ok()) return device.status();
    AddLive(*device, api_.dispatcher);
    *response->mutable_device() = *std::move(device);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* DeviceService::Operate(grpc::CallbackServerContext* context,
                                                 const std::string& name, Operation operation,
                                                 v1::Device* out) {
  return WriteAndReply(
      context, api_,
      [=, this](SQLite::Database& db, const Caller& caller) -> absl::Status {
        if (absl::Status s = RequireOperator(caller); !s.ok()) return s;
        if (absl::Status s = operation.apply(db, caller); !s.ok()) return s;
        const int64_t now_us = api_.clock.WallUs();
        AddAudit(db, now_us, caller.uid, operation.action, name, operation.detail);
        absl::StatusOr<v1::Device> device = LoadDevice(db, name, now_us);
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
  return Operate(context, request->name(),
                 {"DRAIN_DEVICE", request->reason(),
                  [=, this](SQLite::Database& db, const Caller& caller) {
                    return SetDrain(db, request->name(),
                                    Drain{request->reason(), caller.uid, api_.clock.WallUs()});
                  }},
                 response->mutable_device());
}

grpc::ServerUnaryReactor* DeviceService::ResumeDevice(grpc::CallbackServerContext* context,
                                                      const v1::ResumeDeviceRequest* request,
                                                      v1::ResumeDeviceResponse* response) {
  return Operate(context, request->name(),
                 {"RESUME_DEVICE", "",
                  [=](SQLite::Database& db, const Caller&) {
                    return SetDrain(db, request->name(), std::nullopt);
                  }},
                 response->mutable_device());
}

grpc::ServerUnaryReactor* DeviceService::ReserveDevice(grpc::CallbackServerContext* context,
                                                       const v1::ReserveDeviceRequest* request,
                                                       v1::ReserveDeviceResponse* response) {
  const int64_t until_us = TimeUtil::TimestampToMicroseconds(request->until());
  if (until_us <= api_.clock.WallUs()) {
    return Reply(context, support::BadRequest({{"until", "must be in the future"}}));
  }
  return Operate(context, request->name(),
                 {"RESERVE_DEVICE",
                  absl::StrCat("until ", TimeUtil::ToString(request->until()),
                               request->has_uid() ? absl::StrCat(" for uid ", request->uid()) : "",
                               request->reason().empty() ? "" : ": ", request->reason()),
                  [=](SQLite::Database& db, const Caller& caller) {
                    v1::Reservation reservation;
                    reservation.set_uid(request->has_uid() ? request->uid() : caller.uid);
                    *reservation.mutable_until() = request->until();
                    reservation.set_by_uid(caller.uid);
                    reservation.set_reason(request->reason());
                    return SetReservation(db, request->name(), reservation);
                  }},
                 response->mutable_device());
}

grpc::ServerUnaryReactor* DeviceService::UnreserveDevice(grpc::CallbackServerContext* context,
                                                         const v1::UnreserveDeviceRequest* request,
                                                         v1::UnreserveDeviceResponse* response) {
  return Operate(context, request->name(),
                 {"UNRESERVE_DEVICE", "",
                  [=](SQLite::Database& db, const Caller&) {
                    return SetReservation(db, request->name(), std::nullopt);
                  }},
                 response->mutable_device());
}

}  // namespace kernelopt::server
