#include "worker/describe.h"

#include "absl/strings/str_cat.h"
#include "device/open.h"
#include "support/capability.h"

namespace kernelopt::worker {
namespace {

// What the reference can do is asked of a process inside the sandbox, where it
// matters.
void ProbeReference(Bench& bench, v1::Device& device) {
  auto reference = Reference::Start(bench.device, bench.python);
  const auto host = reference.ok() ? (*reference)->WaitReady()
                                   : absl::StatusOr<PythonHost>(reference.status());
  if (!host.ok()) {
    *device.add_capabilities() =
        support::Capable("reference.python", false,
            absl::StrCat(std::string(host.status().message()), "; apt-get install python3-numpy"));
    return;
  }
  const bool torch = host->framework.rfind("torch", 0) == 0;
  *device.add_capabilities() = support::Capable("reference.python", true, host->framework);
  *device.add_capabilities() =
      support::Capable("reference.torch", torch,
          torch ? host->framework : "not installed (apt-get install python3-torch) or switched off");
  *device.add_capabilities() =
      support::Capable("baseline.torch-compile", host->torch_compile,
          host->torch_compile ? "" : "needs PyTorch >= 2");
  *device.add_capabilities() = support::Capable("baseline.flashinfer", host->flashinfer,
                                   host->flashinfer ? "" : "FlashInfer is not installed");
}

}  // namespace

v1::Device Describe(Bench& bench, const SandboxReport& sandbox, const absl::StatusOr<Cutlass>& cutlass) {
  v1::Device device;
  device.set_name("devices/" + bench.device.id());
  device.set_model(bench.device.model());
  *device.add_capabilities() =
      support::Capable("sandbox", sandbox.level != SandboxLevel::kNone,
          absl::StrCat(std::string(SandboxLevelName(sandbox.level)), ": ", sandbox.detail));
  for (const v1::Capability& capability : bench.device.Probe()) *device.add_capabilities() = capability;
  *device.add_capabilities() = support::Capable(bench.device.arch().empty() ? "compiler.cpp" : "compiler.cuda", true, bench.compiler.version());
  if (!bench.device.arch().empty()) {
    *device.add_capabilities() = support::Capable(
        "compiler.cutlass", cutlass.ok(), cutlass.ok() ? cutlass->version : std::string(cutlass.status().message()));
  }
  if (sandbox.level != SandboxLevel::kNone) ProbeReference(bench, device);
  if (bench.device.id() == "host") *device.add_capabilities() = CudaCapability();
  return device;
}

}  // namespace kernelopt::worker
