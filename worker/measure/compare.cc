#include "measure/compare.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "measure/stats.h"

namespace kernelopt::worker {
namespace {

std::string Words(const Pair& pair, const CompareRule& rule) {
  const double percent = 100 * rule.noise_floor;
  switch (pair.outcome) {
    case v1::OUTCOME_FASTER:
      return absl::StrFormat("%.3fx faster (%.3fx to %.3fx over %d blocks, noise floor %.1f %%)",
                             pair.speedup, pair.low, pair.high, pair.blocks, percent);
    case v1::OUTCOME_SLOWER:
      return absl::StrFormat("%.3fx the speed (%.3fx to %.3fx over %d blocks, noise floor %.1f %%)",
                             pair.speedup, pair.low, pair.high, pair.blocks, percent);
    case v1::OUTCOME_SAME:
      return absl::StrFormat("no difference above %.1f %% (%.3fx to %.3fx over %d blocks)", percent,
                             pair.low, pair.high, pair.blocks);
    default:
      return absl::StrFormat(
          "the interval %.3fx to %.3fx (%d blocks) reaches across the noise floor of %.1f %%; more "
          "trials (--num-trials) narrow it",
          pair.low, pair.high, pair.blocks, percent);
  }
}

}  // namespace

std::vector<double> BlockLogRatios(std::span<const double> baseline_us,
                                   std::span<const double> candidate_us) {
  const size_t rounds = baseline_us.size();
  const size_t per_block =
      std::clamp<size_t>(rounds / kMinBlocks, 1, static_cast<size_t>(kRoundsPerBlock));
  std::vector<double> ratios;
  for (size_t start = 0; start + per_block <= rounds; start += per_block) {
    std::vector<double> a, b;
    for (size_t i = start; i < start + per_block; ++i) {
      if (std::isnan(baseline_us[i]) || std::isnan(candidate_us[i])) continue;
      a.push_back(baseline_us[i]);
      b.push_back(candidate_us[i]);
    }
    if (a.empty()) continue;
    const double base = Median(std::move(a)), candidate = Median(std::move(b));
    if (base > 0 && candidate > 0) ratios.push_back(std::log(base / candidate));
  }
  return ratios;
}

Pair ComparePair(std::span<const double> log_ratios, const CompareRule& rule) {
  Pair pair;
  pair.blocks = static_cast<int>(log_ratios.size());
  if (pair.blocks < 2) {
    pair.message = "too few blocks to compare; give more trials (--num-trials)";
    return pair;
  }
  const Summary s = Summarize(log_ratios);
  const double half = StudentT(rule.alpha, pair.blocks - 1) * s.std / std::sqrt(pair.blocks);
  pair.speedup = std::exp(s.mean);
  pair.low = std::exp(s.mean - half);
  pair.high = std::exp(s.mean + half);
  if (pair.blocks < kMinBlocks) {
    pair.message = absl::StrFormat("only %d blocks where %d are needed; give more trials (--num-trials)",
                                   pair.blocks, kMinBlocks);
    return pair;
  }
  const double floor = std::log1p(rule.noise_floor);
  if (s.mean - half > floor) {
    pair.outcome = v1::OUTCOME_FASTER;
  } else if (s.mean + half < -floor) {
    pair.outcome = v1::OUTCOME_SLOWER;
  } else if (s.mean - half > -floor && s.mean + half < floor) {
    pair.outcome = v1::OUTCOME_SAME;
  }
  pair.message = Words(pair, rule);
  return pair;
}

double AlphaForPairs(double alpha, int pairs) { return alpha / std::max(1, pairs); }

}  // namespace kernelopt::worker
