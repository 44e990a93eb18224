// The contract of a job: every parameter of solve() with role, type, shape and
// content, derived before anything is loaded. Pure.
//
// Sources of truth, most trusted first: TENSORS of the reference file, then the
// signature of the first baseline, then that of the candidate; the result says
// which. Every solution must take the same parameters by name and type; their
// order is its own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernelopt/v1/job.pb.h"
#include "problem/declared.h"
#include "problem/dtype.h"
#include "problem/solve_parser.h"

namespace kernelopt::worker {

struct Parameter {
  std::string name, c_type;
  TensorRole role = TensorRole::kIn;
  DType dtype = DType::kFloat32;
  std::vector<int64_t> shape;  // tensors only
  int64_t elements = 0;
  Init init;
  Compare compare;         // outputs
  double atol = 0, rtol = 0;
  double real_value = 0;   // scalars
  int64_t int_value = 0;   // integer scalars

  bool tensor() const { return role != TensorRole::kScalar; }
  bool output() const { return role == TensorRole::kOut || role == TensorRole::kInOut; }
  int64_t bytes() const { return elements * static_cast<int64_t>(SizeOf(dtype)); }
};

struct Contract {
  std::vector<Parameter> parameters;
  double atol = 0, rtol = 0;   // the loosest of the outputs
  std::string tolerance_from;  // cli, tensor, reference, dtype
  std::string contract_from;   // reference, baseline, candidate
  int64_t ptr_size = 0;        // elements of undeclared pointers; 0 when none
};

// What ref.py says about the problem.
struct ReferenceFacts {
  std::optional<double> atol, rtol;
  std::map<std::string, DeclaredTensor> tensors;
};

std::variant<Contract, InvalidProblem> DeriveContract(const SolveSignature& signature,
                                                      const std::string& contract_from,
                                                      const ReferenceFacts& reference,
                                                      const v1::ProblemSpec& problem);

// CONTRACT_MISMATCH when this signature cannot be called under the contract.
std::optional<InvalidProblem> CheckSignature(const SolveSignature& signature,
                                             const Contract& contract);

}  // namespace kernelopt::worker
