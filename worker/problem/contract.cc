#include "problem/contract.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "problem/shape_expr.h"
#include "support/suggest.h"

namespace kernelopt::worker {
namespace {

// Far above any memory; what fits is the device's decision.
constexpr int64_t kMaxTotalBytes = int64_t{1} << 40;

using Dims = std::map<std::string, v1::Dim>;

// koptctl's options, for did-you-mean of a mistyped one that became a dim.
const std::vector<std::string> kOptionNames = {
    "ref", "output-dir", "implementation", "baselines", "timing-method", "num-warmup", "num-trials",
    "discard-first", "prewarm-calls", "ptr-size", "arch", "gpu", "atol", "rtol", "seed"};

std::string NameList(const SolveSignature& signature) {
  return absl::StrJoin(signature.parameters, ", ", [](std::string* out, const SolveParameter& p) {
    out->append(p.name);
  });
}

class Deriver {
 public:
  Deriver(const SolveSignature& signature, const ReferenceFacts& reference,
          const v1::ProblemSpec& problem)
      : signature_(signature), reference_(reference), problem_(problem) {
    for (const v1::Dim& dim : problem.dims()) {
      dims_[dim.name()] = dim;
      if (dim.has_int_value()) int_dims_[dim.name()] = dim.int_value();
    }
  }

  std::variant<Contract, InvalidProblem> Run(const std::string& contract_from) {
    contract_.contract_from = reference_.from_definition  ? "problem"
                              : reference_.tensors.empty() || reference_.from_setup ? contract_from
                                                           : "reference";
    contract_.make_inputs = reference_.make_inputs;
    contract_.tf32 = reference_.tf32;
    contract_.kernelbench = reference_.kernelbench;
    for (const SolveParameter& parameter : signature_.parameters) {
      if (!failed_ && parameter.of_problem()) Add(parameter);
    }
    if (!failed_) CheckDeclared();
    if (!failed_) SetCustom();
    if (!failed_) CheckUnused();
    if (!failed_) CheckSizes();
    if (!failed_) SetTolerance();
    if (failed_) return *failed_;
    return contract_;
  }

 private:
  void Fail(const std::string& reason, const std::string& message) {
    if (!failed_) failed_ = InvalidProblem{reason, message};
  }

  void Missing(const std::string& name, const std::string& where) {
    Fail("MISSING_DIM", absl::StrCat(where, " needs the dim ", name, "; give it with --", name,
                                     "=VALUE"));
  }

  void Add(const SolveParameter& from) {
    Parameter to;
    to.name = from.name;
    to.c_type = from.c_type;
    to.dtype = from.dtype;
    to.complex = from.complex;
    if (from.pointer) {
      AddTensor(from, to);
    } else {
      AddScalar(to);
    }
    contract_.parameters.push_back(std::move(to));
  }

  void AddScalar(Parameter& to) {
    to.role = TensorRole::kScalar;
    const auto found = dims_.find(to.name);
    if (found == dims_.end()) return Missing(to.name, absl::StrCat("solve(", NameList(signature_), ")"));
    used_.insert(to.name);
    const v1::Dim& dim = found->second;
    if (IsFloating(to.dtype)) {
      to.real_value = dim.has_int_value() ? static_cast<double>(dim.int_value()) : dim.real_value();
      return;
    }
    if (!dim.has_int_value()) {
      return Fail("DIM_OUT_OF_RANGE", absl::StrCat("--", to.name, "=", dim.real_value(),
                                                   ": solve takes it as ", to.c_type,
                                                   ", so it must be an integer"));
    }
    to.int_value = dim.int_value();
    to.real_value = static_cast<double>(dim.int_value());
    if (!Fits(to.dtype, to.int_value)) {
      Fail("DIM_OUT_OF_RANGE", absl::StrCat("--", to.name, "=", to.int_value,
                                            " does not fit in the type ", to.c_type));
    }
  }

  static bool Fits(DType type, int64_t value) {
    switch (type) {
      case DType::kInt8: return value == static_cast<int8_t>(value);
      case DType::kInt16: return value == static_cast<int16_t>(value);
      case DType::kInt32: return value == static_cast<int32_t>(value);
      case DType::kUint8: return value == static_cast<uint8_t>(value);
      case DType::kUint16: return value == static_cast<uint16_t>(value);
      case DType::kUint32: return value == static_cast<uint32_t>(value);
      case DType::kUint64: return value >= 0;
      case DType::kBool: return value == 0 || value == 1;
      default: return true;
    }
  }

  void AddTensor(const SolveParameter& from, Parameter& to) {
    to.role = from.pointee_const ? TensorRole::kIn : TensorRole::kOut;
    to.init = DefaultInit(to.dtype);
    const auto declared = reference_.tensors.find(to.name);
    if (declared != reference_.tensors.end()) {
      Declare(declared->second, from, to);
    } else {
      Take(LayOut({PtrSize()}, "tensor " + to.name), to);
    }
    if (to.complex && !failed_) Take(InParts(to.layout, "tensor " + to.name), to);
  }

  static Init DefaultInit(DType type) {
    if (IsFloating(type)) return {};
    if (type == DType::kBool) return {Init::Kind::kBernoulli, 0, 0.5, ""};
    return {Init::Kind::kRandint, 0, 128, ""};
  }

  void Take(std::variant<Layout, InvalidProblem> layout, Parameter& to) {
    if (const auto* bad = std::get_if<InvalidProblem>(&layout)) {
      if (bad->reason == "MISSING_DIM") return Missing(bad->message, to.name);
      return Fail(bad->reason, bad->message);
    }
    to.layout = std::get<Layout>(std::move(layout));
  }

  void Declare(const DeclaredTensor& declared, const SolveParameter& from, Parameter& to) {
    const std::string where = absl::StrCat(
        reference_.from_definition ? "tensors." : "TENSORS[\"", to.name,
        reference_.from_definition ? "" : "\"]");
    const absl::StatusOr<Shape> shape = EvaluateShape(declared.shape, int_dims_);
    if (!shape.ok()) {
      if (absl::IsNotFound(shape.status())) return Missing(std::string(shape.status().message()), where);
      return Fail(absl::IsOutOfRange(shape.status()) ? "DIM_OUT_OF_RANGE" : "BAD_SIGNATURE",
                  absl::StrCat(where, ": ", std::string(shape.status().message())));
    }
    used_.insert(shape->used.begin(), shape->used.end());
    const absl::StatusOr<Shape> strides = EvaluateShape(declared.strides, int_dims_);
    if (strides.ok()) used_.insert(strides->used.begin(), strides->used.end());
    Take(LayOut(shape->extents, declared, int_dims_, where), to);
    if (!declared.dtype.empty() && declared.dtype != to.type_name()) {
      return Fail("CONTRACT_MISMATCH",
                  absl::StrCat(where, " is ", declared.dtype, " but solve takes ", to.c_type, " (",
                               to.type_name(), ")"));
    }
    if (declared.role) to.role = *declared.role;
    if (to.writable() && from.pointee_const) {
      return Fail("CONTRACT_MISMATCH", absl::StrCat(where, " has the role ", RoleName(to.role),
                                                    " but solve takes a const pointer"));
    }
    if (declared.init) to.init = *declared.init;
    to.alignment = declared.alignment;
    to.dense = !declared.sparse;
    to.compare = declared.compare;
    CheckRole(declared, to, where);
  }

  // What cannot be, or could not be judged.
  void CheckRole(const DeclaredTensor& declared, Parameter& to, const std::string& where) {
    const auto refuse = [&](bool bad, const std::string& text) {
      if (bad) Fail("PROBLEM_FORMAT", absl::StrCat(where, ": ", text));
    };
    const Init::Kind init = to.init.kind;
    const bool ordered = init == Init::Kind::kPermutation || init == Init::Kind::kOffsets;
    refuse(to.role == TensorRole::kPlan && declared.init.has_value(),
           "plan() makes the content of the role \"plan\"; take \"init\" out");
    refuse(to.role == TensorRole::kPlan && !reference_.plan,
           "the role \"plan\" needs a function plan(**kwargs) in the reference");
    refuse(init == Init::Kind::kFile && to.role != TensorRole::kStatic,
           "a file has the same content in every call, so its role must be \"static\"");
    refuse(ordered && IsFloating(to.dtype), absl::StrCat("init \"", InitName(init), "\" needs an integer type"));
    refuse(ordered && to.layout.strided(), absl::StrCat("init \"", InitName(init), "\" needs a contiguous tensor"));
    refuse(init == Init::Kind::kOffsets && to.init.low != 0, "offsets begin at 0; take \"low\" out");
    refuse(to.output() && to.compare.kind == Compare::Kind::kUlp && !IsFloating(to.dtype),
           "compare \"ulp\" needs a floating type");
    constexpr int64_t kFewest = 32;  // below, the test of distributions tests nothing
    refuse(to.output() && to.compare.kind == Compare::Kind::kStatistical && to.elements() < kFewest,
           absl::StrCat("compare \"statistical\" needs at least ", kFewest, " elements"));
    const bool ordering = to.compare.kind == Compare::Kind::kTopk || to.compare.kind == Compare::Kind::kStatistical;
    refuse(to.complex && to.output() && ordering, "complex numbers have no order, which \"topk\" and \"statistical\" need");
    const auto size = static_cast<int64_t>(SizeOf(to.dtype)) * (to.complex ? 2 : 1);
    refuse(to.alignment % size != 0, absl::StrCat("alignment must be a multiple of the element's ", size, " bytes"));
    if (to.role == TensorRole::kPlan) to.init.kind = Init::Kind::kReference;
  }

  // Product of the two largest integer dims that solve takes as scalars, as the
  // tools before did it.
  int64_t PtrSize() {
    if (contract_.ptr_size > 0) return contract_.ptr_size;
    int64_t size = problem_.ptr_size();
    if (size == 0) {
      std::vector<int64_t> sizes;
      for (const SolveParameter& p : signature_.parameters) {
        const auto found = int_dims_.find(p.name);
        if (!p.pointer && found != int_dims_.end()) sizes.push_back(found->second);
      }
      std::sort(sizes.rbegin(), sizes.rend());
      size = sizes.empty() ? 1 << 20 : sizes[0];
      if (sizes.size() > 1 && __builtin_mul_overflow(size, sizes[1], &size)) size = -1;
    }
    if (size < 1) {
      Fail("DIM_OUT_OF_RANGE",
           "the buffer size derived from the dims is not positive; give positive dims, declare "
           "TENSORS in the reference, or pass --ptr-size");
      return 1;
    }
    contract_.ptr_size = size;
    return size;
  }

  void CheckDeclared() {
    for (const auto& declared : reference_.tensors) {
      const std::string& name = declared.first;
      const bool there =
          std::any_of(signature_.parameters.begin(), signature_.parameters.end(),
                      [&](const SolveParameter& p) { return p.pointer && p.name == name; });
      if (!there) {
        return Fail("CONTRACT_MISMATCH",
                    absl::StrCat(reference_.from_definition ? "problem.json" : "the reference",
                                 " declares the tensor ", name, ", which solve(",
                                 NameList(signature_), ") does not take"));
      }
    }
    const bool any_output = std::any_of(contract_.parameters.begin(), contract_.parameters.end(),
                                        [](const Parameter& p) { return p.output(); });
    if (!any_output) {
      Fail("NO_OUTPUT", "solve has no output: at least one pointer must not be const");
    }
  }

  // check() of the reference decides about the outputs that ask for it, or about
  // all when none does.
  void SetCustom() {
    const bool asked = contract_.Compares(Compare::Kind::kCustom);
    if (asked && !reference_.check) {
      return Fail("PROBLEM_FORMAT", "compare \"custom\" needs a function check(outputs, expected, inputs) "
                                    "in the reference");
    }
    for (Parameter& p : contract_.parameters) {
      if (reference_.check && !asked && p.output()) p.compare.kind = Compare::Kind::kCustom;
    }
  }

  void CheckUnused() {
    for (const auto& [name, dim] : dims_) {
      if (used_.count(name) > 0) continue;
      std::vector<std::string> known = kOptionNames;
      for (const SolveParameter& p : signature_.parameters) {
        if (!p.pointer) known.push_back(p.name);
      }
      std::string text = absl::StrCat("dim \"", name, "\" is not used by solve(",
                                      NameList(signature_), ")");
      const std::string near = support::Suggest(name, known);
      if (!near.empty()) {
        absl::StrAppend(&text, "; did you mean --", near, "=",
                        dim.has_int_value() ? absl::StrCat(dim.int_value())
                                            : absl::StrCat(dim.real_value()),
                        "?");
      } else {
        absl::StrAppend(&text, "; take it out");
      }
      return Fail("UNUSED_DIM", text);
    }
  }

  void CheckSizes() {
    int64_t total = 0;
    for (const Parameter& parameter : contract_.parameters) {
      int64_t bytes = 0;
      const bool overflow =
          __builtin_mul_overflow(parameter.layout.span, int64_t(SizeOf(parameter.dtype)), &bytes) ||
          __builtin_add_overflow(total, bytes, &total);
      if (overflow || total > kMaxTotalBytes) {
        return Fail("DIM_OUT_OF_RANGE", "the tensors together have more than 2^40 bytes; use "
                                        "smaller dims");
      }
    }
  }

  // The submitter's wins, then the tensor's own, the reference file's, the type's.
  void SetTolerance() {
    bool own = false;
    for (Parameter& parameter : contract_.parameters) {
      if (!parameter.output()) continue;
      // TF32 has the mantissa of float16; not all hardware and compilers round to it.
      parameter.tf32 = contract_.tf32 && parameter.dtype == DType::kFloat32;
      const Tolerance by_type = DefaultTolerance(parameter.tf32 ? DType::kFloat16 : parameter.dtype);
      const Compare& compare = parameter.compare;
      own |= compare.atol.has_value() || compare.rtol.has_value();
      const auto choose = [](bool cli, double given, const std::optional<double>& tensor,
                             const std::optional<double>& reference, double type) {
        return cli ? given : tensor.value_or(reference.value_or(type));
      };
      parameter.atol = choose(problem_.has_atol(), problem_.atol(), compare.atol, reference_.atol, by_type.atol);
      parameter.rtol = choose(problem_.has_rtol(), problem_.rtol(), compare.rtol, reference_.rtol, by_type.rtol);
      if (compare.kind == Compare::Kind::kExact) parameter.atol = parameter.rtol = 0;
      contract_.atol = std::max(contract_.atol, parameter.atol);
      contract_.rtol = std::max(contract_.rtol, parameter.rtol);
    }
    const bool cli = problem_.has_atol() || problem_.has_rtol();
    contract_.tolerance_from = cli ? "cli" : own ? "tensor" : reference_.atol || reference_.rtol ? "reference" : "dtype";
  }

  const SolveSignature& signature_;
  const ReferenceFacts& reference_;
  const v1::ProblemSpec& problem_;
  Dims dims_;
  std::map<std::string, int64_t> int_dims_;
  std::set<std::string> used_;
  Contract contract_;
  std::optional<InvalidProblem> failed_;
};

}  // namespace

SolveSignature SignatureOf(const ReferenceFacts& facts, const v1::ProblemSpec& problem) {
  SolveSignature signature;
  std::vector<std::string> names = facts.order;
  for (const auto& tensor : facts.tensors) {  // whoever is not in the order comes last
    if (std::find(names.begin(), names.end(), tensor.first) == names.end()) names.push_back(tensor.first);
  }
  for (const std::string& name : names) {
    const auto declared = facts.tensors.find(name);
    if (declared == facts.tensors.end()) continue;
    SolveParameter parameter;
    parameter.name = name;
    parameter.pointer = true;
    const std::string type = declared->second.dtype.empty() ? "float32" : declared->second.dtype;
    const auto parts = PartOfComplex(type);
    parameter.complex = parts.has_value();
    parameter.dtype = parts.value_or(DTypeFromName(type).value_or(DType::kFloat32));
    parameter.c_type = absl::StrCat("tensor[", type, "]");
    const TensorRole role = declared->second.role.value_or(TensorRole::kIn);
    parameter.pointee_const = role == TensorRole::kIn || role == TensorRole::kStatic || role == TensorRole::kPlan;
    signature.parameters.push_back(std::move(parameter));
  }
  for (const v1::Dim& dim : problem.dims()) {
    SolveParameter parameter;
    parameter.name = dim.name();
    parameter.dtype = dim.has_int_value() ? DType::kInt64 : DType::kFloat64;
    parameter.c_type = dim.has_int_value() ? "int64_t" : "double";
    signature.parameters.push_back(std::move(parameter));
  }
  return signature;
}

std::variant<Contract, InvalidProblem> DeriveContract(const SolveSignature& signature,
                                                      const std::string& contract_from,
                                                      const ReferenceFacts& reference,
                                                      const v1::ProblemSpec& problem) {
  return Deriver(signature, reference, problem).Run(contract_from);
}

Layout Parameter::problem_layout() const { return complex ? Whole(layout) : layout; }

bool Contract::Compares(Compare::Kind kind) const {
  return std::any_of(parameters.begin(), parameters.end(),
                     [&](const Parameter& p) { return p.output() && p.compare.kind == kind; });
}

WorkloadProblem ForWorkload(const ReferenceFacts& facts, const ProblemDefinition& definition,
                            const Workload& workload, const v1::ProblemSpec& problem) {
  WorkloadProblem out{facts, problem};
  for (const auto& tensor : definition.tensors) out.facts.tensors[tensor.first] = tensor.second;
  if (!definition.tensors.empty()) out.facts.order = definition.order;
  out.facts.from_definition = !definition.tensors.empty();
  out.facts.tf32 |= definition.tf32;
  for (const auto& input : workload.inputs) out.facts.tensors[input.first].init = input.second;
  if (workload.atol) out.facts.atol = workload.atol;
  if (workload.rtol) out.facts.rtol = workload.rtol;
  out.problem.clear_dims();
  for (const v1::Dim& dim : workload.dims) *out.problem.add_dims() = dim;
  return out;
}

}  // namespace kernelopt::worker
