#include "worker/describe.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "device/open.h"
#include "support/capability.h"

namespace kernelopt::worker {
namespace {

// Asked of a process inside the sandbox, where it matters.
void AddPython(const FoundPython& python, v1::Device& device) {
  const auto add = [&](const char* name, bool there, const std::string& detail) {
    *device.add_capabilities() = support::Capable(name, there, detail);
  };
  const PythonHost& host = python.host;
  if (host.framework.empty()) {
    return add("reference.python", false, absl::StrCat(python.trouble, "; apt-get install python3-numpy, or set worker.python"));
  }
  const bool torch = absl::StartsWith(host.framework, "torch"), zygote = python.zygote != nullptr;
  add("python.zygote", zygote, zygote ? "imports once, forks each process" : absl::StrCat(python.no_zygote, "; every Python process imports by itself"));
  add("reference.python", true, absl::StrCat(host.framework, ", ", python.python));
  add("reference.torch", torch, torch ? host.framework : "not installed (apt-get install python3-torch, or set worker.python) or switched off");
  add("baseline.torch-compile", host.torch_compile, host.torch_compile ? "" : "needs PyTorch >= 2");
  add("baseline.flashinfer", host.flashinfer, host.flashinfer ? "" : "pip install flashinfer-python for worker.python");
  if (device.name() == "devices/host") return;
  add("implementation.triton", !host.triton.empty(), host.triton.empty() ? "pip install triton for worker.python" : absl::StrCat("Triton ", host.triton));
  add("implementation.cute-dsl", !host.cute_dsl.empty(),
      host.cute_dsl.empty() ? "pip install nvidia-cutlass-dsl for worker.python" : absl::StrCat("CuTe DSL ", host.cute_dsl));
}

}  // namespace

v1::Device Describe(Bench& bench, const SandboxReport& sandbox, const absl::StatusOr<Cutlass>& cutlass, const FoundPython& python) {
  v1::Device device;
  device.set_name("devices/" + bench.device.id());
  device.set_model(bench.device.model());
  *device.add_capabilities() =
      support::Capable("sandbox", sandbox.level != SandboxLevel::kNone,
          absl::StrCat(std::string(SandboxLevelName(sandbox.level)), ": ", sandbox.detail));
  for (const v1::Capability& capability : bench.device.Probe()) *device.add_capabilities() = capability;
  *device.add_capabilities() = support::Capable(bench.device.arch().empty() ? "compiler.cpp" : "compiler.cuda", true, bench.compiler.version());
  if (!bench.device.arch().empty()) {
    *device.add_capabilities() = support::Capable("gpu.arch", true, absl::StrCat("sm_", bench.device.arch()));
    *device.add_capabilities() = support::Capable(
        "compiler.cutlass", cutlass.ok(), cutlass.ok() ? cutlass->version : std::string(cutlass.status().message()));
  }
  if (sandbox.level != SandboxLevel::kNone) AddPython(python, device);
  if (bench.device.id() == "host") *device.add_capabilities() = CudaCapability();
  return device;
}

}  // namespace kernelopt::worker
