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
  // Adapting ends at this standard error of the median, as a share of it, or at 10 ns.
  double precision = 0.001;
};

// What the clock of a GPU's events allows: jobs of one long kernel agree within 0.03 %.
inline constexpr double kEventPrecision = 0.0002;

inline constexpr int kAdaptStart = 100;  // what the field expects of a default
inline constexpr int kAdaptMin = 30;
inline constexpr int kCompareMin = 16;  // blocks that a comparison needs
inline constexpr int kAdaptMax = 1000;

// Fresh processes, where rounds of one pair of them cannot tell.
struct FreshPlan {
  int pairs = 0, rounds = 0;  // pairs of processes, kept rounds of each; 0: not affordable
};
inline constexpr int kFreshUntimed = 2;  // rounds of each pair that warm it up

// What is known from the rounds of the first pair, so that the number is fixed
// before any of the deciding calls is made.
struct FreshNeeds {
  double round_sd = 0;    // of one round's log ratio
  double process_sd = 0;  // of a pair of processes
  double round_us = 0;    // wall time of a round
  double pair_us = 0;     // wall time to start a pair
};
// The cheapest plan that is expected to give an interval of +-0.35 %, or the
// most precise one that 2.5 s of turn time allow; slow calls get 16 pairs of two
// rounds, unless even those take 20 s.
FreshPlan PlanFreshPairs(const FreshNeeds& needs);

// On a GPU: processes whose calls are timed one after the other, the first with
// the rounds of RoundPlan, the others with this many each.
inline constexpr int kMostProcesses = 4;
inline constexpr int kProcessRounds = 60;
inline constexpr int kPythonUntimed = 12;  // until the interpreter has specialised what launches
// That 1.5 s of turn time allow beside the first, where starting all solutions again takes start_us.
inline constexpr double kStartUs = 0.2e6, kPythonStartUs = 0.3e6;  // of one, when its device's context is made
int MostProcesses(double round_us, double start_us);
// So many that the median is expected to be right to 0.25 % of `shortest_us`,
// where one process is off by process_us (standard deviation).
int ProcessesFor(double process_us, double shortest_us, int most);

// What is known when a round has been kept.
struct RoundsSoFar {
  int kept = 0;
  double spent_us = 0;        // turn time spent on timing
  double worst_error = 1;     // largest SE of the median / median over subjects
  double worst_error_us = 0;  // the same subject's SE in microseconds
};

// Rounds after which the error is looked at: 30, 60, 120... and the default
// count; worst_error need not be up to date otherwise.
bool IsLookPoint(int kept);

// More rounds wanted?
bool WantMoreRounds(const RoundPlan& plan, const RoundsSoFar& so_far);

// Calls of the kept rounds whose outputs are audited: first and last are
// decided by the caller; this one decides by chance, after the call.
bool AuditByChance(uint64_t random, int kept, int chosen, int wanted);

}  // namespace kernelopt::worker
