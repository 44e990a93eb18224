// The candidate of a turn against each baseline: from samples to outcomes.
// Pure.
#pragma once

#include <vector>

#include "judge/turn.h"
#include "measure/compare.h"
#include "measure/noise_table.h"

namespace kernelopt::worker {

struct CompareOptions {
  double alpha = 0.005;        // that any outcome is false
  double same_within = 0.02;   // SAME means this
  bool always_fresh = false;   // take fresh pairs of processes whatever the rounds say
  Noise assumed;               // where the table has no figures
  // What two processes of a GPU differ by at least (standard deviation), however
  // short the kernel (processes.cc).
  double process_noise_us = 0;
  const NoiseTable* table = nullptr;
};

struct Pairing {
  size_t candidate = 0, baseline = 0;  // subject indices
  Noise noise;
  bool fresh = false;  // decided over fresh pairs of processes
  int fresh_sides = 2;  // of the two; the others (built-in baselines) are the same process all the time
  double round_sd = 0; // of one round's log ratio, from the blocks
  CompareRule rule;    // that it was decided by
  std::vector<double> log_ratios;  // of the blocks that decide
  Pair pair;
};

// Noise left of that between pairs of processes when there were so many;
// `fresh_sides` as in Pairing.
double ProcessSd(double of_a_pair, int processes, int fresh_sides);

// One per baseline, in the order of subjects, tested together (Holm). Pairs
// with ratios of fresh processes are decided by these. Subjects with a bad
// verdict are not compared: an empty pair.
std::vector<Pairing> PairUp(const TimedRounds& rounds, const CompareOptions& options,
                            const Subjects& subjects);

void RecordComparisons(const TimedRounds& rounds, const CompareOptions& options,
                       const Subjects& subjects, v1::WorkloadResult& result);

}  // namespace kernelopt::worker
