// Any shape expression over a few dims, and any dims under a fixed signature.
#include <cstring>

#include "problem/contract.h"
#include "problem/shape_expr.h"

namespace {

using namespace kernelopt::worker;  // NOLINT: a fuzz target

const SolveSignature& Signature() {
  static const SolveSignature signature = std::get<SolveSignature>(
      ParseSolve("extern \"C\" void solve(const float* x, double* y, int M, long N, float eps) {}"));
  return signature;
}

void Derive(int64_t m, int64_t n, double eps, const std::string& shape) {
  kernelopt::v1::ProblemSpec problem;
  const auto add = [&](const char* name) -> kernelopt::v1::Dim& {
    kernelopt::v1::Dim& dim = *problem.add_dims();
    dim.set_name(name);
    return dim;
  };
  add("M").set_int_value(m);
  add("N").set_int_value(n);
  add("eps").set_real_value(eps);
  ReferenceFacts facts;
  if (!shape.empty()) facts.tensors["x"] = {.shape = shape, .strides = shape};
  const auto derived = DeriveContract(Signature(), "candidate", facts, problem);
  const auto* contract = std::get_if<Contract>(&derived);
  if (contract == nullptr) return;
  for (const Parameter& p : contract->parameters) {
    // What is derived can be allocated and walked.
    if (p.tensor() && (p.elements() < 1 || p.bytes() < p.elements() || p.bytes() > int64_t{1} << 40)) __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  int64_t m = 0, n = 0;
  double eps = 0;
  constexpr size_t kHead = 24;
  if (size < kHead) return 0;
  std::memcpy(&m, data, 8);
  std::memcpy(&n, data + 8, 8);
  std::memcpy(&eps, data + 16, 8);
  const std::string shape(reinterpret_cast<const char*>(data) + kHead, size - kHead);
  const auto evaluated = EvaluateShape(shape, {{"M", m}, {"N", n}});
  if (evaluated.ok()) {
    for (const int64_t extent : evaluated->extents) {
      if (extent < 1) __builtin_trap();
    }
  }
  Derive(m, n, eps, shape);
  return 0;
}
