// The contract of a job: every parameter of solve() with role, type, shape and
// content, derived before anything is loaded. Pure.
//
// Sources of truth, most trusted first: problem.json, TENSORS of the reference
// file, the signature of the first baseline, that of the candidate; the result
// says which. Every solution must take the same parameters by name and type; their
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
#include "problem/definition.h"
#include "problem/dtype.h"
#include "problem/layout.h"
#include "problem/solve_parser.h"

namespace kernelopt::worker {

inline constexpr size_t kMaxParameters = 1024;  // of solve; runner/wire.h has room for no more

struct Parameter {
  std::string name, c_type;
  TensorRole role = TensorRole::kIn;
  DType dtype = DType::kFloat32;
  // Pairs of `dtype`. The layout is that of the parts: its last dim is 2. So they
  // are filled, compared and counted one by one.
  bool complex = false;
  Layout layout;               // tensors only
  int64_t alignment = 4096;    // bytes; the address is aligned to no more
  Init init;                   // inputs
  bool dense = false;          // an input of which every element is read, as it was declared
  Compare compare;         // outputs
  double atol = 0, rtol = 0;
  bool tf32 = false;       // outputs: may be made of products of TF32
  double real_value = 0;   // scalars
  int64_t int_value = 0;   // integer scalars

  bool tensor() const { return role != TensorRole::kScalar; }
  // Compared.
  bool output() const { return role == TensorRole::kOut || role == TensorRole::kInOut; }
  // In memory that solutions may write.
  bool writable() const { return output() || role == TensorRole::kScratch; }
  // The same content in every call of a job.
  bool lasting() const { return role == TensorRole::kStatic || role == TensorRole::kPlan; }
  // Its content comes from the reference process.
  bool staged() const {
    return tensor() && (init.kind == Init::Kind::kReference || init.kind == Init::Kind::kFile);
  }
  // As the problem names it: complex64 where dtype is float32.
  std::string type_name() const { return std::string(complex ? ComplexName(dtype) : DTypeName(dtype)); }
  // As the problem has it: without the dim of the parts.
  Layout problem_layout() const;
  int64_t elements() const { return layout.elements; }
  // Of memory, gaps included.
  int64_t bytes() const { return layout.span * static_cast<int64_t>(SizeOf(dtype)); }
};

struct Contract {
  std::vector<Parameter> parameters;
  double atol = 0, rtol = 0;   // the loosest of the outputs
  std::string tolerance_from;  // cli, tensor, reference, dtype
  std::string contract_from;   // problem, reference, baseline, candidate
  int64_t ptr_size = 0;        // elements of undeclared pointers; 0 when none
  std::string kernelbench;     // as of ReferenceFacts
  bool make_inputs = false;    // the reference makes what varies from call to call
  bool tf32 = false;           // products of float32 may be those of TF32

  // Some output is compared so.
  bool Compares(Compare::Kind kind) const;
};

// What ref.py says about the problem.
struct ReferenceFacts {
  std::optional<double> atol, rtol;
  std::map<std::string, DeclaredTensor> tensors;
  std::vector<std::string> order;  // of their names, as the author lists them
  // How the Model of a problem in the form of KernelBench is made and called, JSON
  // of worker/runner/kopt_kernelbench.py; empty: of another form.
  std::string kernelbench;
  bool from_setup = false;         // tensors are what setup() of a solution makes
  // Functions it defines.
  bool make_inputs = false, plan = false, check = false;
  bool takes_baseline = false;   // reference() has an argument `baseline`, by that name
  bool names_flashinfer = false;  // its file does, somewhere
  bool from_definition = false;  // tensors are those of problem.json
  bool tf32 = false;             // MATH of the file, or math of problem.json, is "tf32"
};

// The facts as one workload of problem.json changes them, and the problem with
// its dims: tensors of the definition win over TENSORS, the workload's inputs
// and tolerances over both.
struct WorkloadProblem {
  ReferenceFacts facts;
  v1::ProblemSpec problem;
};
WorkloadProblem ForWorkload(const ReferenceFacts& facts, const ProblemDefinition& definition,
                            const Workload& workload, const v1::ProblemSpec& problem);

// What a Python solution takes, which has no declaration: the tensors in their
// order, then the dims.
SolveSignature SignatureOf(const ReferenceFacts& facts, const v1::ProblemSpec& problem);

std::variant<Contract, InvalidProblem> DeriveContract(const SolveSignature& signature,
                                                      const std::string& contract_from,
                                                      const ReferenceFacts& reference,
                                                      const v1::ProblemSpec& problem);

// CONTRACT_MISMATCH when this signature cannot be called under the contract, or
// its solve_prepare takes what it cannot have.
std::optional<InvalidProblem> CheckSignature(const SolveSignature& signature,
                                             const Contract& contract);

}  // namespace kernelopt::worker
