// Why a runner ended, in the words of a verdict. Pure.
#pragma once

#include <string>
#include <vector>

#include "kernelopt/v1/result.pb.h"
#include "problem/invalid.h"
#include "runner/wire.h"
#include "sandbox/sandbox.h"

namespace kernelopt::worker {

struct Finding {
  v1::Verdict verdict = v1::VERDICT_UNSPECIFIED;
  std::string reason, message;
  std::vector<std::string> evidence;
};

// The problem's fault.
inline Finding FindingOf(const InvalidProblem& problem) {
  return {v1::VERDICT_INVALID_PROBLEM, problem.reason, problem.message, {}};
}

// A tensor as the runner was told of it.
struct ToldTensor {
  std::string name;
  bool output = false;
};

// `fault` comes from the runner: it only chooses among the reasons of
// RUNTIME_ERROR and makes the message better. `where`: "solve()" or "loading".
Finding ExplainDeath(const SandboxEnd& end, const wire::Fault& fault,
                     const std::vector<ToldTensor>& tensors, const std::string& where);

}  // namespace kernelopt::worker
