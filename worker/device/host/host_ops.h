// Operations on memory that the judge can read: values/ does the work.
#pragma once

#include <memory>

#include "device/tensor_ops.h"

namespace kernelopt::worker {

std::unique_ptr<TensorOps> MakeHostOps();

}  // namespace kernelopt::worker
