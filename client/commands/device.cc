#include <ctime>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/lib/people.h"
#include "client/output/print.h"

namespace kernelopt::client {
namespace {

std::string DeviceName(const std::string& given) {
  return absl::StartsWith(given, "devices/") ? given : absl::StrCat("devices/", given);
}

Exit List(Context& context) {
  const auto response =
      context.client().Call(context.client().devices(), &v1::DeviceService::Stub::ListDevices,
                            v1::ListDevicesRequest());
  if (!response.ok()) return Fail(context, response.status());
  if (context.json) {
    PrintJson("list", *response);
    return Exit::kOk;
  }
  PrintDevices(context, response->devices());
  return Exit::kOk;
}

// The device after a change.
template <class Response>
Exit Show(Context& context, const absl::StatusOr<Response>& response) {
  if (!response.ok()) return Fail(context, response.status());
  if (context.json) {
    PrintJson("device", response->device());
  } else {
    google::protobuf::RepeatedPtrField<v1::Device> one;
    *one.Add() = response->device();
    PrintDevices(context, one);
  }
  return Exit::kOk;
}

Exit Drain(Context& context, const std::string& given, const std::string& reason) {
  v1::DrainDeviceRequest request;
  request.set_name(DeviceName(given));
  request.set_reason(reason);
  return Show(context, context.client().Call(context.client().devices(),
                                             &v1::DeviceService::Stub::DrainDevice, request));
}

Exit Resume(Context& context, const std::string& given) {
  v1::ResumeDeviceRequest request;
  request.set_name(DeviceName(given));
  return Show(context, context.client().Call(context.client().devices(),
                                             &v1::DeviceService::Stub::ResumeDevice, request));
}

struct Options {
  std::string device, reason, until, user;
};

Exit Reserve(Context& context, const Options& options) {
  v1::ReserveDeviceRequest request;
  request.set_name(DeviceName(options.device));
  request.set_reason(options.reason);
  const auto until = ParseTime(options.until, std::time(nullptr));
  if (!until.ok()) return Fail(context, until.status());
  *request.mutable_until() = *until;
  if (!options.user.empty()) {
    const auto uid = ParseUser(options.user);
    if (!uid.ok()) return Fail(context, uid.status());
    request.set_uid(*uid);
  }
  return Show(context, context.client().Call(context.client().devices(),
                                             &v1::DeviceService::Stub::ReserveDevice, request));
}

Exit Unreserve(Context& context, const std::string& given) {
  v1::UnreserveDeviceRequest request;
  request.set_name(DeviceName(given));
  return Show(context, context.client().Call(context.client().devices(),
                                             &v1::DeviceService::Stub::UnreserveDevice, request));
}

}  // namespace

void AddDevice(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("device", "list, drain, reserve devices");
  command->require_subcommand(1);
  command->add_subcommand("list", "all devices")->callback([&context] { context.exit = List(context); });
  CLI::App* drain = command->add_subcommand("drain", "start no new jobs on it");
  drain->add_option("device", options->device, "host or GPU-<uuid>")->required();
  drain->add_option("--reason", options->reason, "shown to everyone who waits")->required();
  drain->callback([&context, options] { context.exit = Drain(context, options->device, options->reason); });
  CLI::App* resume = command->add_subcommand("resume", "start jobs on it again");
  resume->add_option("device", options->device, "host or GPU-<uuid>")->required();
  resume->callback([&context, options] { context.exit = Resume(context, options->device); });
  CLI::App* reserve = command->add_subcommand("reserve", "start only one user's jobs on it for a while");
  reserve->add_option("device", options->device, "host or GPU-<uuid>")->required();
  reserve->add_option("--until", options->until, "18:00, +2h or \"2026-11-22 18:00\"")->required();
  reserve->add_option("--user", options->user, "whose jobs (you)");
  reserve->add_option("--reason", options->reason, "shown to everyone who waits");
  reserve->callback([&context, options] { context.exit = Reserve(context, *options); });
  CLI::App* unreserve = command->add_subcommand("unreserve", "for everybody again");
  unreserve->add_option("device", options->device, "host or GPU-<uuid>")->required();
  unreserve->callback([&context, options] { context.exit = Unreserve(context, options->device); });
}

}  // namespace kernelopt::client
