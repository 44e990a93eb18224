// The CPU as a device: memfd buffers, clflushopt, one core for the runner and
// one for the judge.
#pragma once

#include "device/device.h"

namespace kernelopt::worker {

// `max_bytes`: most memory for one job's buffers; 0: what is free.
std::unique_ptr<Device> MakeHostDevice(int64_t max_bytes);

}  // namespace kernelopt::worker
