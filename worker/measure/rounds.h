// How many rounds, in which order, and when to stop. Pure.
//
// A round calls every subject once with the same fresh content. Consecutive
// rounds form a pair: a random order, then its reverse (ABBA), so that drift
// inside a pair cancels.
#pragma once

#include <cstdint>
#include <vector>

namespace kernelopt::worker {

// Order of `subjects` indices in round `round`; the same seed gives the same
// orders.
std::vector<int> RoundOrder(int subjects, int round, uint64_t seed);

struct RoundPlan {
  int trials = 0;         // 0: adapt; else exact
  int discard = 1;        // first rounds thrown away
  double budget_us = 2e6; // of turn time for adapting
};

inline constexpr int kAdaptStart = 100;  // what the field expects of a default
inline constexpr int kAdaptMin = 30;
inline constexpr int kCompareMin = 16;  // blocks that a comparison needs
inline constexpr int kAdaptMax = 1000;

// What is known when a round has been kept.
struct RoundsSoFar {
  int kept = 0;
  double spent_us = 0;        // turn time spent on timing
  double worst_error = 1;     // largest SE of the median / median over subjects
  double worst_error_us = 0;  // the same subject's SE in microseconds
};

// More rounds wanted? Looked at after 30, 60, 120... kept rounds.
bool WantMoreRounds(const RoundPlan& plan, const RoundsSoFar& so_far);

// Calls of the kept rounds whose outputs are audited: first and last are
// decided by the caller; this one decides by chance, after the call.
bool AuditByChance(uint64_t random, int kept, int chosen, int wanted);

}  // namespace kernelopt::worker
