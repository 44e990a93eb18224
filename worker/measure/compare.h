// Is the candidate faster? Pure.
//
// Candidate and baseline were called alternately in the same turn. Two kinds of
// block give one log ratio each, the Hodges-Lehmann centre of the
// paired ratios of its rounds, so that what disturbs both sides cancels:
//   rounds      five rounds of one pair of processes, or fewer of a further pair;
//               cheap, taken always
//   instances   a fresh pair of processes each; taken when rounds cannot tell,
//               because a process keeps its luck (where its pages lie) for life
// The t-interval of the trimmed mean of the log ratios, taken back through exp, is
// the interval of the speedup: a block that something disturbed does not move it. Blocks of rounds resemble their neighbours (drift) and share the
// luck of one pair, so their interval is widened for both. FASTER and SLOWER
// need the whole interval beyond the noise floor: what this device shows
// between two equal kernels even so (noise_table.h). SAME needs it inside
// `same_within` (an equivalence test, both one-sided tests at once).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernelopt/v1/result.pb.h"

namespace kernelopt::worker {

inline constexpr int kMinBlocks = 16;
inline constexpr int kRoundsPerBlock = 5;

struct CompareRule {
  double alpha = 0.005;       // two-sided error probability, after Holm
  double noise_floor = 0.01;  // relative
  double same_within = 0.02;  // relative
  // Standard deviation of the log ratio of two equal kernels between pairs of
  // processes, which blocks of rounds cannot see; 0 for blocks that are
  // instances.
  double process_sd = 0;
  // Blocks of each pair of processes, one after the other, where there are
  // several: each pair counts alike, however many blocks it has. Empty: one pair.
  std::vector<size_t> process_blocks;
};

// One value per round and subject, in the order of rounds; NaN where it does
// not count. Both have the same length. Blocks have kRoundsPerBlock rounds, or
// fewer when there would be less than kMinBlocks of them.
std::vector<double> BlockLogRatios(std::span<const double> baseline_us,
                                   std::span<const double> candidate_us);
// One block of all these rounds; NaN when no round has both.
double PairedLogRatio(std::span<const double> baseline_us, std::span<const double> candidate_us);

struct Pair {
  v1::Outcome outcome = v1::OUTCOME_INCONCLUSIVE;
  double speedup = 0, low = 0, high = 0;
  double alpha = 0;  // of the interval
  int blocks = 0;
  std::string message;
};
Pair ComparePair(std::span<const double> log_ratios, const CompareRule& rule);

// One workload's pair among several.
struct WeightedPair {
  double weight = 1;
  double speedup = 0, low = 0, high = 0;
  int blocks = 0;
};
// Weighted geometric mean of the speedups. Workloads are measured apart, so
// the half widths of their log intervals add up in quadrature, by weight.
Pair CombinePairs(std::span<const WeightedPair> pairs, const CompareRule& rule);

// P(as far from 1 by chance) of the pair, without floor: what Holm sorts by.
double PairPValue(std::span<const double> log_ratios, const CompareRule& rule);

// Holm's step-down (Scand. J. Statistics 6, 1979): the level each pair is
// tested at, so that any false outcome among all has probability `alpha`.
std::vector<double> HolmAlphas(std::span<const double> p_values, double alpha);

// A pair that is not decided (or SAME, and yet apart) might be with so many more processes that their
// noise were `process_sd`, and the ratio what it is now.
bool MightDecide(const Pair& pair, const CompareRule& rule, double process_sd);

// Fresh processes are wanted: they could find a difference that rounds of one
// pair cannot.
bool WantInstances(const Pair& pair);

}  // namespace kernelopt::worker
