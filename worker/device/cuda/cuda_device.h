// One NVIDIA GPU as a device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "device/device.h"

namespace kernelopt::worker {

// A GPU of this machine.
struct GpuInfo {
  std::string id;     // GPU-<uuid>
  std::string model;  // NVIDIA H200
  std::string bus;    // 0000:0a:00.0
};
// UNAVAILABLE: no driver, with the reason.
absl::StatusOr<std::vector<GpuInfo>> ListGpus();
// Slices of GPUs that are split, MIG-<uuid>; listed, not served.
std::vector<std::string> ListMigSlices();

// The GPU with this id, its context current on the calling thread, which must
// be the job thread. NOT_FOUND, UNAVAILABLE.
absl::StatusOr<std::unique_ptr<Device>> MakeCudaDevice(const std::string& id);

}  // namespace kernelopt::worker
