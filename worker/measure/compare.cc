#include "measure/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "absl/strings/str_format.h"
#include "measure/stats.h"

namespace kernelopt::worker {
namespace {

std::string Words(const Pair& pair, const CompareRule& rule) {
  const double percent = 100 * rule.noise_floor;
  const double same = 100 * rule.same_within;
  switch (pair.outcome) {
    case v1::OUTCOME_FASTER:
      return absl::StrFormat("%.3fx faster (%.3fx to %.3fx over %d blocks, noise floor %.1f %%)",
                             pair.speedup, pair.low, pair.high, pair.blocks, percent);
    case v1::OUTCOME_SLOWER:
      return absl::StrFormat("%.3fx the speed (%.3fx to %.3fx over %d blocks, noise floor %.1f %%)",
                             pair.speedup, pair.low, pair.high, pair.blocks, percent);
    case v1::OUTCOME_SAME:
      return absl::StrFormat("no difference above %.1f %% (%.3fx to %.3fx over %d blocks)", same,
                             pair.low, pair.high, pair.blocks);
    default:
      return absl::StrFormat(
          "%.3fx to %.3fx (%d blocks) is neither clear of the noise floor of %.1f %% nor within "
          "%.1f %% of equal; more trials (--num-trials) or a quieter machine narrow it",
          pair.low, pair.high, pair.blocks, percent, same);
  }
}

struct Centre {
  double mean = 0, error = 0;  // of the log ratio; error: of the mean
  int df = 1;
};

// The mean over pairs of processes, each with a (trimmed) mean and an error of its own: the steps from
// one to the next are their luck, which process_sd stands for.
Centre CentreOfProcesses(std::span<const double> log_ratios, const CompareRule& rule) {
  Centre all{.mean = 0, .error = 0, .df = 0};
  const auto count = static_cast<double>(rule.process_blocks.size());
  size_t begin = 0;
  for (const size_t blocks : rule.process_blocks) {
    const auto own = log_ratios.subspan(begin, blocks);
    const TrimmedMean centre = Trim(own);
    all.mean += centre.mean / count;
    all.error = std::hypot(all.error, centre.std / std::sqrt(centre.effective) / count);
    all.df += std::max(1, static_cast<int>(centre.share * centre.effective) - 1);
    begin += blocks;
  }
  return all;
}

Centre CentreOf(std::span<const double> log_ratios, const CompareRule& rule) {
  if (rule.process_blocks.size() > 1) return CentreOfProcesses(log_ratios, rule);
  const TrimmedMean centre = Trim(log_ratios);
  // Instances are independent; blocks of rounds are worth fewer.
  const double effective = rule.process_sd > 0 ? centre.effective : static_cast<double>(log_ratios.size());
  return {centre.mean, centre.std / std::sqrt(effective), std::max(1, static_cast<int>(centre.share * effective) - 1)};
}

// The interval of the log ratio against floor and equivalence margin.
void Decide(double mean, double half, const CompareRule& rule, Pair& pair) {
  const double floor = std::log1p(rule.noise_floor), same = std::log1p(rule.same_within);
  if (mean - half > floor) {
    pair.outcome = v1::OUTCOME_FASTER;
  } else if (mean + half < -floor) {
    pair.outcome = v1::OUTCOME_SLOWER;
  } else if (mean - half > -same && mean + half < same) {
    pair.outcome = v1::OUTCOME_SAME;
  }
  pair.message = Words(pair, rule);
}

}  // namespace

std::vector<double> BlockLogRatios(std::span<const double> baseline_us,
                                   std::span<const double> candidate_us) {
  const size_t rounds = baseline_us.size();
  const size_t per_block =
      std::clamp<size_t>(rounds / kMinBlocks, 1, static_cast<size_t>(kRoundsPerBlock));
  std::vector<double> ratios;
  for (size_t start = 0; start + per_block <= rounds; start += per_block) {
    const double ratio = PairedLogRatio(baseline_us.subspan(start, per_block),
                                        candidate_us.subspan(start, per_block));
    if (!std::isnan(ratio)) ratios.push_back(ratio);
  }
  return ratios;
}

double PairedLogRatio(std::span<const double> baseline_us, std::span<const double> candidate_us) {
  std::vector<double> ratios;
  for (size_t i = 0; i < baseline_us.size(); ++i) {
    const double ratio = std::log(baseline_us[i] / candidate_us[i]);
    if (std::isfinite(ratio)) ratios.push_back(ratio);
  }
  return ratios.empty() ? std::numeric_limits<double>::quiet_NaN() : HodgesLehmann(ratios);
}

Pair ComparePair(std::span<const double> log_ratios, const CompareRule& rule) {
  Pair pair;
  pair.alpha = rule.alpha;
  pair.blocks = static_cast<int>(log_ratios.size());
  if (pair.blocks < 2) {
    pair.message = "too few blocks to compare; give more trials (--num-trials)";
    return pair;
  }
  const Centre centre = CentreOf(log_ratios, rule);
  // The luck of the processes is known from many earlier pairs: a normal
  // quantile, added as independent.
  const double half = std::hypot(StudentT(rule.alpha, centre.df) * centre.error,
                                 StudentT(rule.alpha, 100'000) * rule.process_sd);
  pair.speedup = std::exp(centre.mean);
  pair.low = std::exp(centre.mean - half);
  pair.high = std::exp(centre.mean + half);
  if (pair.blocks < kMinBlocks) {
    pair.message = absl::StrFormat("only %d blocks where %d are needed; give more trials (--num-trials)",
                                   pair.blocks, kMinBlocks);
    return pair;
  }
  Decide(centre.mean, half, rule, pair);
  return pair;
}

Pair CombinePairs(std::span<const WeightedPair> pairs, const CompareRule& rule) {
  double weights = 0, mean = 0, squares = 0;
  Pair pair;
  pair.alpha = rule.alpha;
  for (const WeightedPair& p : pairs) {
    if (!(p.speedup > 0 && p.low > 0 && p.high >= p.low)) {
      pair.message = "a workload was not compared";
      return pair;
    }
    weights += p.weight;
    mean += p.weight * std::log(p.speedup);
    squares += std::pow(p.weight * std::log(p.high / p.low) / 2, 2);
    pair.blocks += p.blocks;
  }
  if (weights <= 0) return pair;
  mean /= weights;
  const double half = std::sqrt(squares) / weights;
  pair.speedup = std::exp(mean);
  pair.low = std::exp(mean - half);
  pair.high = std::exp(mean + half);
  Decide(mean, half, rule, pair);
  return pair;
}

double PairPValue(std::span<const double> log_ratios, const CompareRule& rule) {
  if (log_ratios.size() < 2) return 1;
  const Centre centre = CentreOf(log_ratios, rule);
  const double error = std::hypot(centre.error, rule.process_sd);
  return error > 0 ? StudentTail(std::fabs(centre.mean) / error, centre.df)
                   : (centre.mean == 0 ? 1 : 0);
}

std::vector<double> HolmAlphas(std::span<const double> p_values, double alpha) {
  std::vector<size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> alphas(p_values.size(), alpha);
  double level = 0;
  bool rejected = true;
  for (size_t k = 0; k < order.size(); ++k) {
    // After the first pair that is not significant, the level stays.
    if (rejected) level = alpha / static_cast<double>(order.size() - k);
    alphas[order[k]] = level;
    rejected = rejected && p_values[order[k]] <= level;
  }
  return alphas;
}

bool MightDecide(const Pair& pair, const CompareRule& rule, double process_sd) {
  if (!WantInstances(pair)) return false;
  const double mean = std::fabs(std::log(pair.speedup)), half = StudentT(rule.alpha, 100'000) * process_sd;
  const bool same = pair.outcome != v1::OUTCOME_SAME && mean + half < std::log1p(rule.same_within);
  return same || mean - half > std::log1p(rule.noise_floor);
}

bool WantInstances(const Pair& pair) {
  return pair.blocks >= kMinBlocks && pair.outcome != v1::OUTCOME_FASTER &&
         pair.outcome != v1::OUTCOME_SLOWER;
}

}  // namespace kernelopt::worker
