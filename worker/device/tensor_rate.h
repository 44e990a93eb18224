// How fast a GPU's tensor cores are at best, by what its maker says of its kind.
#pragma once

#include <string_view>

#include "problem/dtype.h"

namespace kernelopt::worker {

// Floating-point operations (a fused multiply-add is two) of one multiprocessor
// in one clock, on dense operands of this type. float32 counts as three products
// of halves, with which tensor cores reach its precision, or as one where the
// problem says `math: tf32`. `arch` as nvcc has it: "80", "90a". 0: no such rate,
// or not known.
double TensorRate(std::string_view arch, DType operand, bool tf32);

}  // namespace kernelopt::worker
