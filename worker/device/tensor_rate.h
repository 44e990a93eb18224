// How fast a GPU's tensor cores are at best, by what its maker says of its kind.
#pragma once

#include <string_view>

#include "problem/dtype.h"

namespace kernelopt::worker {

// Operations (a fused multiply-add is two) of one multiprocessor in one clock, on
// dense operands that lie in memory as this type: float32 may be computed in halves
// where tolerances allow it, bytes of integers may be pairs of 4 bits. `arch` as nvcc
// has it: "80", "90a". 0: no such rate, or not known.
double TensorRate(std::string_view arch, DType operand);

}  // namespace kernelopt::worker
