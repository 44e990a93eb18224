#include "measure/stats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace kernelopt::worker {
namespace {

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

TEST(Stats, NothingGivesZeros) {
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
  // n = 25, 95 %: the 8th and the 18th (David & Nagaraja, table 7.1).
  EXPECT_EQ(MedianInterval(x, 0.95).low, 8);
  EXPECT_EQ(MedianInterval(x, 0.95).high, 18);
  x.resize(3);
  EXPECT_EQ(MedianInterval(x, 0.95).low, 1);
  EXPECT_EQ(MedianInterval(x, 0.95).high, 3);
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
    const Interval interval = MedianInterval(x, 0.95);
    if (interval.low <= 1 && 1 <= interval.high) ++covered;
  }
  EXPECT_GE(covered, 0.94 * kRuns);
  EXPECT_LE(covered, 0.985 * kRuns);
}

TEST(Stats, ManySamplesUseTheNormalApproximation) {
  std::vector<double> x(5000);
  std::iota(x.begin(), x.end(), 0.0);
  const Interval interval = MedianInterval(x, 0.95);
  EXPECT_NEAR(interval.low, 2500 - 0.98 * std::sqrt(5000.0), 3);
  EXPECT_NEAR(interval.high, 2500 + 0.98 * std::sqrt(5000.0), 3);
}

}  // namespace
}  // namespace kernelopt::worker
