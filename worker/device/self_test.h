// Does a device still compute and remember? Asked when a worker starts and after
// every turn, before the next job is taken: no job is to be judged on a device
// that an earlier one, or heat, has broken.
//
// Not for what a kernel does to its own process: that ends with the process.
#pragma once

#include "device/device.h"

namespace kernelopt::worker {

// Writes and reads a mebibyte of new content, under a millisecond. INTERNAL: what
// is wrong. Memory that others have taken is no fault.
absl::Status SelfTest(Device& device);

// The same with `ops` on memory of theirs.
absl::Status SelfTest(TensorOps& ops, char* at, int64_t bytes);

}  // namespace kernelopt::worker
