// problem.json: a problem in its typed form. Pure.
//
// The format is described, key by key, in schemas/json/problem.schema.json;
// this reads it with messages for people. Unknown keys are errors.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kernelopt/v1/job.pb.h"
#include "problem/declared.h"

namespace kernelopt::worker {

// One set of dims and contents that a problem is judged on.
struct Workload {
  std::string name;
  double weight = 1;    // in the geometric mean
  bool hidden = false;  // results show its verdict, not its dims
  std::vector<v1::Dim> dims;
  std::optional<double> atol, rtol;
  std::map<std::string, Init> inputs;  // instead of the tensors' own
};

struct ProblemDefinition {
  std::string name;
  bool tf32 = false;  // math: strict or tf32
  std::map<std::string, DeclaredTensor> tensors;
  std::vector<std::string> order;  // of their names
  std::vector<Workload> workloads;  // at least one
};

inline constexpr size_t kMaxWorkloads = 64;

std::variant<ProblemDefinition, InvalidProblem> ParseDefinition(std::string_view text);

// Those with these names, in the definition's order; all for none.
// INVALID_PROBLEM names the one that is not there.
std::variant<std::vector<Workload>, InvalidProblem> SelectWorkloads(
    const ProblemDefinition& definition, const std::vector<std::string>& names);

}  // namespace kernelopt::worker
