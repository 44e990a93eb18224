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

// `path` is a checkout, or what PackagedCutlass found. NOT_FOUND: what to set.
absl::StatusOr<Cutlass> FindCutlass(const std::string& path);

// The headers that Python packages bring (nvidia-cutlass, else those of FlashInfer),
// among the packages of the interpreter `python` or of the virtual environment it
// belongs to; empty: none.
std::string PackagedCutlass(const std::string& python);

// Compilers see its headers, and solutions that ask for it are built with them.
void AddCutlass(const Cutlass& cutlass, Toolchain& chain);

}  // namespace kernelopt::worker
