#include "values/precision.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "absl/strings/str_format.h"

namespace kernelopt::worker {
namespace {

constexpr double kBudgetUnits = 1024;
constexpr double kReferenceTimes = 8;

double UnitOf(DType type) {
  if (type == DType::kFloat32) return 0x1p-24;
  return type == DType::kFloat64 ? 0x1p-53 : 0;
}

double ReductionLength(const Contract& contract, const Parameter& output) {
  int64_t largest = 1;
  for (const Parameter& p : contract.parameters) {
    if (p.tensor() && !p.writable()) largest = std::max(largest, p.elements());
  }
  return std::max(1.0, static_cast<double>(largest) / static_cast<double>(std::max<int64_t>(1, output.elements())));
}

}  // namespace

std::optional<PrecisionFacts> PrecisionOf(const Contract& contract, const Parameter& output, const CheckFigures& figures,
                                          std::span<const double> reference_errors) {
  const double unit = UnitOf(output.dtype);
  const bool judged = unit > 0 && output.compare.kind == Compare::Kind::kAllclose && contract.tolerance_from == "dtype" && !contract.tf32;
  if (!judged || !(figures.mean_expected > 0)) return std::nullopt;
  const double errors = std::accumulate(reference_errors.begin(), reference_errors.end(), 0.0) /
                        static_cast<double>(std::max<size_t>(1, reference_errors.size()));
  return PrecisionFacts{figures.mean_abs / figures.mean_expected,
                        std::max(unit * std::max(kBudgetUnits, std::sqrt(ReductionLength(contract, output))),
                                 kReferenceTimes * errors / figures.mean_expected)};
}

std::string TooImprecise(const Parameter& output, const PrecisionFacts& facts) {
  return absl::StrFormat("%s is as precise as %.0f bits (mean error %.2g of its mean size; %.2g is allowed), where %s has %d: was it computed in a "
                         "smaller type? If that is meant, give the problem a tolerance (rtol in TENSORS or problem.json, --rtol) or \"math\": \"tf32\"",
                         output.name, -std::log2(facts.found), facts.found, facts.allowed, output.type_name(),
                         output.dtype == DType::kFloat64 ? 53 : 24);
}

}  // namespace kernelopt::worker
