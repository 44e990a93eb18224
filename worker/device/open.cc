#include "device/open.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "device/host/host_device.h"
#include "support/capability.h"
#ifdef KOPT_WITH_CUDA
#include "device/cuda/cuda_device.h"
#endif

namespace kernelopt::worker {
namespace {

#ifndef KOPT_WITH_CUDA
struct GpuInfo {
  std::string id, model;
};
absl::Status NoCuda() { return absl::UnavailableError("built without CUDA: nvcc was not found"); }
absl::StatusOr<std::vector<GpuInfo>> ListGpus() { return NoCuda(); }
std::vector<std::string> ListMigSlices() { return {}; }
absl::StatusOr<std::unique_ptr<Device>> MakeCudaDevice(const std::string&) { return NoCuda(); }
#endif

}  // namespace

// To add a device: its folder beside this file, a line here.
absl::StatusOr<std::unique_ptr<Device>> OpenDevice(const std::string& id, int64_t max_bytes) {
  if (id == "host") return MakeHostDevice(max_bytes);
  if (absl::StartsWith(id, "GPU-")) return MakeCudaDevice(id);
  if (absl::StartsWith(id, "MIG-")) {
    return absl::UnimplementedError(absl::StrCat("slices of a GPU are listed but not served: give the whole GPU, or take ", id, " out of workers.devices"));
  }
  return absl::NotFoundError(absl::StrCat("no device ", id, "; host, or GPU-<uuid> as nvidia-smi -L says"));
}

v1::Capability CudaCapability() {
  const auto gpus = ListGpus();
  if (!gpus.ok()) return support::Capable("device.cuda", false, std::string(gpus.status().message()));
  std::string all;
  for (const GpuInfo& gpu : *gpus) absl::StrAppend(&all, all.empty() ? "" : ", ", gpu.id, " ", gpu.model);
  for (const std::string& slice : ListMigSlices()) absl::StrAppend(&all, ", ", slice, " (a slice, not served)");
  return support::Capable("device.cuda", !gpus->empty(), all.empty() ? "the driver sees no GPU" : all);
}

}  // namespace kernelopt::worker
