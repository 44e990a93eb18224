#include "measure/rounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace kernelopt::worker {
namespace {

TEST(Rounds, EveryOrderIsAPermutationAndEachPairIsAbba) {
  for (int round = 0; round < 40; round += 2) {
    std::vector<int> first = RoundOrder(3, round, 99), second = RoundOrder(3, round + 1, 99);
    EXPECT_EQ(std::set<int>(first.begin(), first.end()), (std::set<int>{0, 1, 2}));
    std::reverse(second.begin(), second.end());
    EXPECT_EQ(first, second);
  }
}

TEST(Rounds, SeedsChangeTheOrdersAndAreReproducible) {
  int same = 0, first_goes_first = 0;
  for (int round = 0; round < 200; round += 2) {
    EXPECT_EQ(RoundOrder(2, round, 5), RoundOrder(2, round, 5));
    if (RoundOrder(2, round, 5) == RoundOrder(2, round, 6)) ++same;
    if (RoundOrder(2, round, 5)[0] == 0) ++first_goes_first;
  }
  EXPECT_LT(same, 80);
  EXPECT_NEAR(first_goes_first, 50, 25);
}

TEST(Rounds, AGivenNumberIsExact) {
  const RoundPlan plan{.trials = 7};
  EXPECT_TRUE(WantMoreRounds(plan, {.kept = 6}));
  EXPECT_FALSE(WantMoreRounds(plan, {.kept = 7}));
}

TEST(Rounds, TheDefaultStopsWhenPreciseAtALookPointOnly) {
  const RoundPlan plan;
  RoundsSoFar so_far{.kept = 30, .worst_error = 0.0005, .worst_error_us = 1};
  EXPECT_FALSE(WantMoreRounds(plan, so_far));
  so_far.kept = 31;
  EXPECT_TRUE(WantMoreRounds(plan, so_far));
  so_far = {.kept = 60, .worst_error = 0.01, .worst_error_us = 1};
  EXPECT_TRUE(WantMoreRounds(plan, so_far));
  so_far.kept = kAdaptMax;
  EXPECT_FALSE(WantMoreRounds(plan, so_far));
}

TEST(Rounds, TheClockOfAGpuAllowsMorePrecision) {
  const RoundPlan host, gpu{.precision = kEventPrecision};
  RoundsSoFar long_kernel{.kept = 30, .worst_error = 0.0005, .worst_error_us = 0.35};
  EXPECT_FALSE(WantMoreRounds(host, long_kernel));
  EXPECT_TRUE(WantMoreRounds(gpu, long_kernel));
  long_kernel.worst_error = kEventPrecision;
  EXPECT_FALSE(WantMoreRounds(gpu, long_kernel));
  EXPECT_FALSE(WantMoreRounds(gpu, {.kept = 30, .worst_error = 0.002, .worst_error_us = 0.01}));
}

TEST(Rounds, SlowCallsGetWhatAComparisonNeedsAndNoMore) {
  const RoundPlan plan;
  EXPECT_TRUE(WantMoreRounds(plan, {.kept = 15, .spent_us = 3e6}));
  EXPECT_FALSE(WantMoreRounds(plan, {.kept = 16, .spent_us = 3e6}));
  EXPECT_FALSE(WantMoreRounds(plan, {.kept = 2, .spent_us = 21e6}));
}

TEST(Rounds, ShortCallsOfAGpuAreSpreadOverProcesses) {
  constexpr double kProcessUs = 0.1;
  EXPECT_EQ(ProcessesFor(kProcessUs, 40, 4), 1);  // 0.25 % of it
  EXPECT_EQ(ProcessesFor(kProcessUs, 39, 4), 2);
  EXPECT_EQ(ProcessesFor(kProcessUs, 4, 4), 4);
  EXPECT_EQ(ProcessesFor(kProcessUs, 4, 3), 3);
  EXPECT_EQ(ProcessesFor(kProcessUs, 0, 4), 1);
}

TEST(Rounds, ProcessesTakeNoMoreThanASecondAndAHalf) {
  EXPECT_EQ(MostProcesses(600, kStartUs), kMostProcesses);
  EXPECT_EQ(MostProcesses(1200, 2 * kStartUs), kMostProcesses);
  EXPECT_EQ(MostProcesses(1800, 3 * kStartUs), 3);
  EXPECT_EQ(MostProcesses(4800, 8 * kStartUs), 1);
  EXPECT_EQ(MostProcesses(21'667, kStartUs), 1);
  EXPECT_EQ(MostProcesses(21'666, kStartUs), 2);
}

TEST(Rounds, FreshPairsAreAsManyAsTheNoiseAsksForAndTheBudgetAllows) {
  const FreshNeeds quiet{.round_sd = 0.002, .process_sd = 0.002, .round_us = 2000, .pair_us = 25'000};
  FreshNeeds noisy = quiet, slow = quiet, hopeless = quiet;
  noisy.round_sd = 0.1;
  slow.round_us = 300'000;
  hopeless.round_us = 3e6;
  EXPECT_EQ(PlanFreshPairs(quiet).pairs, 16);
  EXPECT_EQ(PlanFreshPairs(quiet).rounds, 8);
  const FreshPlan many = PlanFreshPairs(noisy);
  EXPECT_GT(many.pairs * many.rounds, 600);
  EXPECT_LE(many.pairs * (25'000 + (many.rounds + kFreshUntimed) * 2000.0), 2.5e6);
  EXPECT_EQ(PlanFreshPairs(slow).pairs, 16);
  EXPECT_EQ(PlanFreshPairs(slow).rounds, 2);
  EXPECT_EQ(PlanFreshPairs(hopeless).pairs, 0);
}

int Audits(uint64_t seed, int rounds) {
  int chosen = 0;
  for (int kept = 1; kept < rounds; ++kept) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    if (AuditByChance(seed >> 20, kept, chosen, 5)) ++chosen;
  }
  return chosen;
}

TEST(Rounds, AuditsComeByChanceAreEnoughAtTheEarliestStopAndNeverEnd) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    EXPECT_GE(Audits(seed, kAdaptMin), 5) << seed;
    EXPECT_LE(Audits(seed, 100), 25) << seed;
    EXPECT_LE(Audits(seed, 10'000), 60) << seed;
  }
  EXPECT_GT(Audits(1, 10'000), Audits(1, 100));
}

}  // namespace
}  // namespace kernelopt::worker
