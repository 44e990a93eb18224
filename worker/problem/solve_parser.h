// Reads the declarations of solve(), and of solve_prepare() and
// solve_workspace_bytes() where they are, out of C++ or CUDA source.
//
// A tokeniser and a small parser, not a regular expression: comments, raw
// strings, preprocessor lines, `extern "C" { }` blocks, prototypes, `float *x`,
// `float const* __restrict__ x`, `int64_t n`, `float x[]` and defaults are
// understood. Names that only the preprocessor or a typedef can explain are
// UNSUPPORTED_TYPE.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "problem/dtype.h"

namespace kernelopt::worker {

struct SolveParameter {
  std::string name;
  std::string c_type;  // without qualifiers, "float*" for pointers
  DType dtype = DType::kFloat32;
  bool pointer = false;
  bool pointee_const = false;
  bool stream = false;     // a cudaStream_t, to launch on
  bool workspace = false;  // `void* workspace`: memory that solve_workspace_bytes() asked for
  bool complex = false;    // a pointer to numbers of two parts of `dtype`

  // A tensor or scalar of the problem, which everyone's solve takes.
  bool of_problem() const { return !workspace && !stream; }

  bool operator==(const SolveParameter&) const = default;
};

using Parameters = std::vector<SolveParameter>;

struct SolveSignature {
  Parameters parameters;
  // void solve_prepare(...): called once when the solution is loaded, untimed.
  std::optional<Parameters> prepare;
  // size_t solve_workspace_bytes(...): what `workspace` must hold.
  std::optional<Parameters> workspace_bytes;
};

// What is wrong: NO_ENTRY_POINT, BAD_SIGNATURE or UNSUPPORTED_TYPE, and a
// sentence that says what to do.
struct ParseProblem {
  std::string reason, message;
};

std::variant<SolveSignature, ParseProblem> ParseSolve(std::string_view source);

}  // namespace kernelopt::worker
