#include "client/commands/choose_device.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "kernelopt/v1/device_service.grpc.pb.h"

namespace kernelopt::client {
namespace {

struct Gpu {
  std::string id, arch;  // "GPU-...", "sm_90"; empty: its worker never said
  bool online = false;
};

absl::StatusOr<std::vector<Gpu>> GpusOf(Context& context) {
  const auto devices = context.client().Call(context.client().devices(), &v1::DeviceService::Stub::ListDevices, v1::ListDevicesRequest());
  if (!devices.ok()) return devices.status();
  std::vector<Gpu> gpus;
  for (const v1::Device& device : devices->devices()) {
    if (!absl::StartsWith(device.name(), "devices/GPU-")) continue;
    Gpu& gpu = gpus.emplace_back(Gpu{device.name().substr(std::string_view("devices/").size()), "", device.online()});
    for (const v1::Capability& capability : device.capabilities()) {
      if (capability.name() == "gpu.arch") gpu.arch = std::string(absl::StripSuffix(capability.detail(), "a"));
    }
  }
  return gpus;
}

absl::Status Wrong(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

}  // namespace

absl::StatusOr<std::string> ChooseDevice(const SpecOptions& o, Context& context) {
  const std::string arch(absl::StripSuffix(o.arch, "a"));
  if (!o.gpu && o.arch.empty()) return o.device.empty() ? "host" : o.device;
  const char* option = o.gpu ? "--gpu" : "--arch";
  auto gpus = GpusOf(context);
  if (!gpus.ok()) return gpus.status();
  if (gpus->empty()) return Wrong(absl::StrCat(option, ": this daemon serves no GPU; `koptctl doctor` says why, without ", option, " the host device is used"));
  if (o.gpu) {
    if (*o.gpu < 0 || *o.gpu >= static_cast<int>(gpus->size())) {
      return Wrong(absl::StrCat("--gpu=", *o.gpu, ": there are ", gpus->size(), ", numbered from 0 as `koptctl device list` shows them"));
    }
    *gpus = {(*gpus)[static_cast<size_t>(*o.gpu)]};
  } else if (!o.device.empty()) {
    const std::string device(absl::StripPrefix(o.device, "devices/"));
    gpus->erase(std::remove_if(gpus->begin(), gpus->end(), [&](const Gpu& gpu) { return gpu.id != device; }), gpus->end());
  }
  const auto fits = [&](const Gpu& gpu) { return o.arch.empty() || gpu.arch == arch; };
  for (const bool online : {true, false}) {
    for (const Gpu& gpu : *gpus) {
      if (fits(gpu) && gpu.online == online) return gpu.id;
    }
  }
  const auto name = [](std::string* out, const Gpu& gpu) { absl::StrAppend(out, gpu.id, gpu.arch.empty() ? "" : " is ", gpu.arch); };
  return Wrong(absl::StrCat("--arch=", o.arch, ": ", gpus->empty() ? absl::StrCat(o.device, " is no GPU of `koptctl device list`") : absl::StrJoin(*gpus, ", ", name)));
}

}  // namespace kernelopt::client
