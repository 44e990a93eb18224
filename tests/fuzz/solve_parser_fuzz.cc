// Any text as a solution's source.
#include "problem/solve_parser.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  using namespace kernelopt::worker;  // NOLINT: a fuzz target
  const auto parsed = ParseSolve({reinterpret_cast<const char*>(data), size});
  if (const auto* bad = std::get_if<ParseProblem>(&parsed)) {
    if (bad->reason.empty() || bad->message.empty()) __builtin_trap();
    return 0;
  }
  const auto& signature = std::get<SolveSignature>(parsed);
  for (const SolveParameter& p : signature.parameters) {
    if (p.name.empty() || p.c_type.empty()) __builtin_trap();
  }
  return 0;
}
