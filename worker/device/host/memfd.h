// Memory of the host that judge and runner both map.
#pragma once

#include "device/device.h"

namespace kernelopt::worker {

// Zeros. Inputs are sealed so that nobody can map them writable any more,
// whatever the mode of the descriptor (a read-only descriptor alone protects
// nothing, it can be reopened); the judge's own mapping was made before.
absl::StatusOr<std::unique_ptr<SharedMemory>> MakeMemfd(int64_t bytes, Access access);

}  // namespace kernelopt::worker
