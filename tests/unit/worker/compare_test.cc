#include "measure/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace kernelopt::worker {
namespace {

struct Noisy {
  std::vector<double> baseline, candidate;
};

// Both share drift and bursts; the candidate takes `ratio` of the baseline.
Noisy Simulate(double ratio, double noise, int rounds, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, noise);
  Noisy out;
  for (int i = 0; i < rounds; ++i) {
    const double drift = 1 + 0.05 * std::sin(i * 0.05);
    const double burst = random() % 25 == 0 ? 1.5 : 1.0;
    out.baseline.push_back(100 * drift * std::exp(normal(random)));
    out.candidate.push_back(100 * ratio * drift * burst * std::exp(normal(random)));
  }
  return out;
}

Pair Compare(const Noisy& n) { return ComparePair(BlockLogRatios(n.baseline, n.candidate), {0.005, 0.01}); }

TEST(Compare, ATrueDifferenceIsFoundInTheRightDirection) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(Compare(Simulate(0.9, 0.02, 100, seed)).outcome, v1::OUTCOME_FASTER) << seed;
    EXPECT_EQ(Compare(Simulate(1.1, 0.02, 100, seed)).outcome, v1::OUTCOME_SLOWER) << seed;
  }
}

TEST(Compare, EqualKernelsAreNeverCalledDifferentMoreOftenThanAlphaAllows) {
  int wrong = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const v1::Outcome outcome = Compare(Simulate(1.0, 0.05, 100, seed)).outcome;
    if (outcome == v1::OUTCOME_FASTER || outcome == v1::OUTCOME_SLOWER) ++wrong;
  }
  EXPECT_LE(wrong, 10);
}

TEST(Compare, EqualAndQuietIsSame) {
  const Pair pair = Compare(Simulate(1.0, 0.005, 600, 1));
  EXPECT_EQ(pair.outcome, v1::OUTCOME_SAME) << pair.message;
}

// On an H200 beside a busy second GPU, one of the few blocks of a second process moved a ratio by 1 %.
TEST(Compare, OneDisturbedBlockOfAProcessDoesNotMoveTheRatio) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(0.3, 0.01);
  std::vector<double> blocks(220);
  for (double& block : blocks) block = normal(random);
  CompareRule rule{.alpha = 0.005, .noise_floor = 0.003, .process_sd = 0.003, .process_blocks = {200, 20}};
  const Pair before = ComparePair(blocks, rule);
  blocks[205] = std::log(1.7);
  const Pair after = ComparePair(blocks, rule);
  EXPECT_NEAR(after.speedup / before.speedup, 1, 0.002);
}

TEST(Compare, FewerThanSixteenBlocksAreInconclusiveHoweverClear) {
  const Pair pair = Compare(Simulate(0.5, 0.01, 15, 3));
  EXPECT_EQ(pair.outcome, v1::OUTCOME_INCONCLUSIVE);
  EXPECT_NE(pair.message.find("16"), std::string::npos);
  EXPECT_EQ(Compare(Simulate(0.5, 0.01, 16, 3)).outcome, v1::OUTCOME_FASTER);
}

TEST(Compare, DroppedSamplesAreLeftOutOnBothSides) {
  Noisy n = Simulate(0.8, 0.01, 100, 5);
  for (size_t i = 0; i < n.candidate.size(); i += 7) n.candidate[i] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Compare(n).outcome, v1::OUTCOME_FASTER);
  EXPECT_EQ(Compare(n).blocks, 20);
}

TEST(Compare, NoBlocksIsInconclusive) {
  EXPECT_EQ(ComparePair({}, {}).outcome, v1::OUTCOME_INCONCLUSIVE);
}

TEST(Compare, HolmGivesLaterPairsMoreAsLongAsEarlierOnesAreSignificant) {
  EXPECT_EQ(HolmAlphas(std::vector<double>{0.0001}, 0.005), (std::vector<double>{0.005}));
  // Sorted: 0.0001 <= 0.005/3, 0.002 <= 0.005/2, 0.5 gets all of it.
  EXPECT_EQ(HolmAlphas(std::vector<double>{0.5, 0.0001, 0.002}, 0.006),
            (std::vector<double>{0.006, 0.002, 0.003}));
  // The first is not significant: all stay at its level.
  EXPECT_EQ(HolmAlphas(std::vector<double>{0.5, 0.1, 0.2}, 0.006),
            (std::vector<double>{0.002, 0.002, 0.002}));
}

TEST(Compare, LuckOfTheProcessesWidensBlocksOfRoundsAndAsksForFreshOnes) {
  const std::vector<double> ratios = BlockLogRatios(Simulate(0.985, 0.005, 100, 4).baseline,
                                                    Simulate(0.985, 0.005, 100, 4).candidate);
  const Pair sure = ComparePair(ratios, {.noise_floor = 0.002});
  const Pair lucky = ComparePair(ratios, {.noise_floor = 0.002, .process_sd = 0.01});
  EXPECT_EQ(sure.outcome, v1::OUTCOME_FASTER);
  EXPECT_FALSE(WantInstances(sure));
  EXPECT_EQ(lucky.outcome, v1::OUTCOME_INCONCLUSIVE);
  EXPECT_TRUE(WantInstances(lucky));
}

// Bug: the steps from one process to the next were taken for autocorrelation, and
// a long first process outweighed the others.
TEST(Compare, EveryPairOfProcessesCountsAlikeAndItsLuckOnce) {
  CompareRule rule{.noise_floor = 0.003, .process_sd = 0.003, .process_blocks = {200, 12, 12, 12}};
  std::vector<double> blocks;
  const double luck[] = {0.02, 0.01, 0.01, 0.00};
  for (size_t k = 0; k < 4; ++k) {
    for (size_t i = 0; i < rule.process_blocks[k]; ++i) blocks.push_back(luck[k] + (i % 2 == 0 ? 0.0001 : -0.0001));
  }
  const Pair pair = ComparePair(blocks, rule);
  EXPECT_NEAR(std::log(pair.speedup), 0.01, 1e-6);
  EXPECT_NEAR(std::log(pair.high / pair.speedup), 2.807 * 0.003, 0.0003);
  EXPECT_EQ(pair.blocks, 236);
}

TEST(Compare, MoreProcessesAreTakenOnlyWhereTheyMightDecide) {
  const CompareRule rule{.noise_floor = 0.003, .process_sd = 0.005};
  const auto undecided = [](double speedup) { return Pair{.speedup = speedup, .blocks = kMinBlocks, .message = ""}; };
  EXPECT_TRUE(MightDecide(undecided(1.015), rule, 0.0025));   // 1.5 % - 0.7 % is clear of the floor
  EXPECT_FALSE(MightDecide(undecided(1.008), rule, 0.0045));  // 0.8 % +- 1.3 % is nothing
  EXPECT_TRUE(MightDecide(undecided(1.008), rule, 0.0025));   // 0.8 % + 0.7 % is SAME
  EXPECT_TRUE(MightDecide(undecided(1 / 1.015), rule, 0.0025));
  Pair same = undecided(1.001);
  same.outcome = v1::OUTCOME_SAME;
  EXPECT_FALSE(MightDecide(same, rule, 0.0025));
  same.speedup = 1.015;  // within 2 % of equal, but not equal
  EXPECT_TRUE(MightDecide(same, rule, 0.0025));
  Pair faster = undecided(1.5);
  faster.outcome = v1::OUTCOME_FASTER;
  EXPECT_FALSE(MightDecide(faster, rule, 0.0025));
}

TEST(Compare, WhatDisturbsBothSidesOfARoundCancels) {
  Noisy n = Simulate(0.9, 0.001, 40, 6);
  for (size_t i = 0; i < 40; ++i) {
    const double both = 1 + 0.3 * static_cast<double>(i % 7);
    n.baseline[i] *= both;
    n.candidate[i] = n.baseline[i] * 0.9;
  }
  EXPECT_NEAR(PairedLogRatio(n.baseline, n.candidate), -std::log(0.9), 1e-9);
}

}  // namespace
}  // namespace kernelopt::worker
