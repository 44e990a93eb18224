// Devices by their id.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "device/device.h"

namespace kernelopt::worker {

// "host", or "GPU-<uuid>". `max_bytes`: most memory for one job's buffers on the
// host; 0: what is free. To be called on the job thread, before it spawns
// anything. NOT_FOUND, UNAVAILABLE: no driver, or built without CUDA.
absl::StatusOr<std::unique_ptr<Device>> OpenDevice(const std::string& id, int64_t max_bytes);

// The GPUs of this machine for people: "GPU-... NVIDIA H200", or why there are
// none.
v1::Capability CudaCapability();

}  // namespace kernelopt::worker
