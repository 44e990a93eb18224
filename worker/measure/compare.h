// Is the candidate faster? Pure.
//
// Candidate and baseline were called alternately, round by round, in the same
// turn. Rounds are grouped into blocks; each block gives one log ratio of the
// two medians. The t-interval of these log ratios, taken back through exp, is
// the interval of the speedup. It must clear the noise floor: the difference
// that this device shows between two equal kernels.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernelopt/v1/result.pb.h"

namespace kernelopt::worker {

inline constexpr int kMinBlocks = 16;
inline constexpr int kRoundsPerBlock = 5;

struct CompareRule {
  double alpha = 0.005;       // two-sided error probability, before Holm
  double noise_floor = 0.01;  // relative
};

// One sample per round and subject, in the order of rounds; NaN where the
// sample was dropped. Both have the same length. Blocks have kRoundsPerBlock
// rounds, or fewer when there would be less than kMinBlocks of them.
std::vector<double> BlockLogRatios(std::span<const double> baseline_us,
                                   std::span<const double> candidate_us);

struct Pair {
  v1::Outcome outcome = v1::OUTCOME_INCONCLUSIVE;
  double speedup = 0, low = 0, high = 0;
  int blocks = 0;
  std::string message;
};
Pair ComparePair(std::span<const double> log_ratios, const CompareRule& rule);

// Holm's step for several baselines: alpha of each pair so that the chance of
// any false FASTER or SLOWER stays below `alpha`. Conservative form: alpha / n.
double AlphaForPairs(double alpha, int pairs);

}  // namespace kernelopt::worker
