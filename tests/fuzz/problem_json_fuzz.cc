// Any text as problem.json; what is read is derived into a contract.
#include "problem/contract.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  using namespace kernelopt::worker;  // NOLINT: a fuzz target
  const auto parsed = ParseDefinition({reinterpret_cast<const char*>(data), size});
  if (const auto* bad = std::get_if<InvalidProblem>(&parsed)) {
    if (bad->reason.empty() || bad->message.empty()) __builtin_trap();
    return 0;
  }
  static const SolveSignature signature = std::get<SolveSignature>(
      ParseSolve("extern \"C\" void solve(const float* x, float* y, int N) {}"));
  const auto& definition = std::get<ProblemDefinition>(parsed);
  if (definition.workloads.empty() || definition.workloads.size() > kMaxWorkloads) __builtin_trap();
  for (const Workload& workload : definition.workloads) {
    const WorkloadProblem made = ForWorkload({}, definition, workload, {});
    (void)DeriveContract(signature, "candidate", made.facts, made.problem);
  }
  return 0;
}
