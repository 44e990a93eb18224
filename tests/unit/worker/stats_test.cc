#include "measure/stats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace kernelopt::worker {
namespace {

// Autoregressive noise around 100.
std::vector<double> Correlated(int n, double rho, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> x;
  double state = normal(random);
  for (int i = 0; i < n; ++i) {
    state = rho * state + std::sqrt(1 - rho * rho) * normal(random);
    x.push_back(100 + state);
  }
  return x;
}

TEST(Stats, SummaryOfOneToTen) {
  std::vector<double> x(10);
  std::iota(x.begin(), x.end(), 1.0);
  const Summary s = Summarize(x);
  EXPECT_EQ(s.count, 10);
  EXPECT_DOUBLE_EQ(s.mean, 5.5);
  EXPECT_NEAR(s.std, 3.0276503540974917, 1e-12);
  EXPECT_DOUBLE_EQ(s.median, 5.5);
  EXPECT_DOUBLE_EQ(s.p20, 2.8);  // numpy.percentile(range(1, 11), 20)
  EXPECT_DOUBLE_EQ(s.p80, 8.2);
  EXPECT_DOUBLE_EQ(s.min, 1);
  EXPECT_DOUBLE_EQ(s.max, 10);
}

TEST(Stats, ATrimmedMeanLeavesOutATenthAtEachEnd) {
  const std::vector<double> x = {7, 2, 3, 1000, 5, 6, 1, 8, 9, 4};
  const TrimmedMean trimmed = Trim(x);  // scipy.stats.trim_mean(x, 0.1); mstats.winsorize(x, (0.1, 0.1)).std(ddof=1) / 0.8
  EXPECT_DOUBLE_EQ(trimmed.mean, 5.5);
  EXPECT_NEAR(trimmed.std, 3.397813839645852, 1e-12);
  EXPECT_DOUBLE_EQ(trimmed.share, 0.8);
  const std::vector<double> few = {1, 2, 9};
  EXPECT_DOUBLE_EQ(Trim(few).mean, 4);
  EXPECT_DOUBLE_EQ(Trim(few).std, Summarize(few).std);
}

// One value far away hides how much the others resemble their neighbours, and with that
// how little they are worth.
TEST(Stats, OneValueFarAwayDoesNotMakeASeriesWorthMore) {
  std::vector<double> x = Correlated(200, 0.9, 3);
  const double before = EffectiveSize(x);
  x[100] += 1000;
  EXPECT_GT(EffectiveSize(x), 3 * before);
  EXPECT_LT(Trim(x).effective, 1.5 * before);
}

TEST(Stats, NothingGivesZeros) {
  EXPECT_EQ(Trim({}).mean, 0);
  EXPECT_EQ(Summarize({}).count, 0);
  EXPECT_EQ(Median({}), 0);
}

TEST(Stats, StudentTQuantilesOfTheTables) {
  EXPECT_NEAR(StudentT(0.05, 1), 12.7062, 1e-3);
  EXPECT_NEAR(StudentT(0.05, 10), 2.22814, 1e-5);
  EXPECT_NEAR(StudentT(0.01, 19), 2.86093, 1e-5);
  EXPECT_NEAR(StudentT(0.005, 15), 3.28604, 1e-5);
  EXPECT_NEAR(StudentT(0.05, 100000), 1.95999, 1e-4);
}

TEST(Stats, MedianIntervalTakesTheOrderStatisticsOfTheBinomialTables) {
  std::vector<double> x(25);
  std::iota(x.begin(), x.end(), 1.0);
  // n = 25, 95 %: the 8th and the 18th cover 95.67 % (David & Nagaraja, table
  // 7.1), the 9th and the 17th 89.2 %; by hand, I = 0.1045, lambda = 0.196.
  EXPECT_NEAR(MedianInterval(x, 0.95, 25).low, 8.196, 5e-3);
  EXPECT_NEAR(MedianInterval(x, 0.95, 25).high, 17.804, 5e-3);
  x.resize(3);
  EXPECT_EQ(MedianInterval(x, 0.95, 3).low, 1);
  EXPECT_EQ(MedianInterval(x, 0.95, 3).high, 3);
}

TEST(Stats, MedianIntervalCoversTheMedianAsOftenAsItSays) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> noise(0, 0.3);  // median 1
  int covered = 0;
  constexpr int kRuns = 2000;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<double> x(60);
    for (double& value : x) value = noise(random);
    std::sort(x.begin(), x.end());
    const Interval interval = MedianInterval(x, 0.95, 60);
    if (interval.low <= 1 && 1 <= interval.high) ++covered;
  }
  EXPECT_NEAR(covered, 0.95 * kRuns, 0.01 * kRuns);
}

TEST(Stats, NeighboursThatResembleEachOtherCountForLess) {
  double independent = 0, correlated = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    independent += EffectiveSize(Correlated(400, 0, seed)) / 50;
    correlated += EffectiveSize(Correlated(400, 0.6, seed)) / 50;
  }
  EXPECT_GT(independent, 330);
  EXPECT_NEAR(correlated, 100, 25);  // n (1 - rho) / (1 + rho)
}

TEST(Stats, TheMedianOfACorrelatedSeriesIsCoveredToo) {
  int covered = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const Summary s = Summarize(Correlated(300, 0.5, seed));
    if (s.median_low <= 100 && 100 <= s.median_high) ++covered;
  }
  EXPECT_GE(covered, 930);
}

TEST(Stats, ACoarseClockShowsItsStepAndAFineOneDoesNot) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(100, 2);
  std::vector<double> fine, coarse;
  for (int i = 0; i < 200; ++i) {
    fine.push_back(noise(random));
    coarse.push_back(std::round(fine.back() / 0.5) * 0.5);
  }
  EXPECT_EQ(TimerStep(fine), 0);
  EXPECT_NEAR(TimerStep(coarse), 0.5, 1e-9);
  EXPECT_EQ(TimerStep(std::vector<double>(50, 7.0)), 0);
}

TEST(Stats, ManySamplesUseTheNormalApproximation) {
  std::vector<double> x(5000);
  std::iota(x.begin(), x.end(), 0.0);
  const Interval interval = MedianInterval(x, 0.95, 5000);
  EXPECT_NEAR(interval.low, 2500 - 0.98 * std::sqrt(5000.0), 3);
  EXPECT_NEAR(interval.high, 2500 + 0.98 * std::sqrt(5000.0), 3);
}

}  // namespace
}  // namespace kernelopt::worker
