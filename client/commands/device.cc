#include <cstdio>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/output/print.h"

namespace kernelopt::client {
namespace {

std::string DeviceName(const std::string& given) {
  return absl::StartsWith(given, "devices/") ? given : absl::StrCat("devices/", given);
}

void PrintOne(const v1::Device& device) {
  std::printf("%s  %s%s\n", device.name().c_str(), StateOf(device).c_str(),
              device.drain_reason().empty() ? "" : absl::StrCat(" (", device.drain_reason(), ")").c_str());
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
  PrintDevices(response->devices());
  return Exit::kOk;
}

// The device after a change.
template <class Response>
Exit Show(Context& context, const absl::StatusOr<Response>& response) {
  if (!response.ok()) return Fail(context, response.status());
  if (context.json) {
    PrintJson("device", response->device());
  } else {
    PrintOne(response->device());
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

}  // namespace

void AddDevice(CLI::App& app, Context& context) {
  struct Options {
    std::string device, reason;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("device", "list, drain and resume devices");
  command->require_subcommand(1);
  command->add_subcommand("list", "all devices")->callback([&context] { context.exit = List(context); });
  CLI::App* drain = command->add_subcommand("drain", "start no new jobs on it");
  drain->add_option("device", options->device, "host or GPU-<uuid>")->required();
  drain->add_option("--reason", options->reason, "shown to everyone who waits")->required();
  drain->callback([&context, options] { context.exit = Drain(context, options->device, options->reason); });
  CLI::App* resume = command->add_subcommand("resume", "start jobs on it again");
  resume->add_option("device", options->device, "host or GPU-<uuid>")->required();
  resume->callback([&context, options] { context.exit = Resume(context, options->device); });
}

}  // namespace kernelopt::client
