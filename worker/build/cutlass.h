// Where CUTLASS lies, for solutions of the implementation `cutlass`.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "build/toolchain.h"

namespace kernelopt::worker {

struct Cutlass {
  std::string root;     // holds include/cutlass, and tools/util/include where it is a checkout
  std::string version;  // "4.2.0"
  std::string digest;   // of its headers
};

// `path` is a checkout, or the folder `source` of the Python package
// nvidia-cutlass. NOT_FOUND: what to set.
absl::StatusOr<Cutlass> FindCutlass(const std::string& path);

// Compilers see its headers, and solutions that ask for it are built with them.
void AddCutlass(const Cutlass& cutlass, Toolchain& chain);

}  // namespace kernelopt::worker
