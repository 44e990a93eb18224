// Kinds of comparison beside allclose and exact, and what is forgiven.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "values/check.h"
#include "values/content.h"

namespace kernelopt::worker {
namespace {

Parameter Output(std::vector<int64_t> shape, Compare compare) {
  Parameter p;
  p.name = "y";
  p.role = TensorRole::kOut;
  p.layout = std::get<Layout>(LayOut(shape, "y"));
  p.compare = compare;
  return p;
}

CheckFigures Check(const Parameter& p, const std::vector<float>& got, const std::vector<float>& expected,
                   double reference_error = 0) {
  const std::vector<double> errors(expected.size() / 64 + 1, reference_error);
  return CheckOutput(p, got.data(), {expected.data(), errors}, 1);
}

TEST(CheckKinds, UlpCountsRepresentableNumbersAcrossZero) {
  const Parameter p = Output({1}, {.kind = Compare::Kind::kUlp, .ulp = 2});
  const float up = std::nextafter(1.0F, 2.0F), twice = std::nextafter(up, 2.0F), thrice = std::nextafter(twice, 2.0F);
  EXPECT_FALSE(Check(p, {twice}, {1.0F}).failed);
  EXPECT_TRUE(Check(p, {thrice}, {1.0F}).failed);
  const float tiny = std::nextafter(0.0F, 1.0F);
  EXPECT_FALSE(Check(p, {-tiny}, {tiny}).failed);
  EXPECT_TRUE(Check(p, {NAN}, {1.0F}).failed);
}

TEST(CheckKinds, MatchedRatioForgivesAFewButNoneBeyondTheCap) {
  Parameter p = Output({1000}, {.kind = Compare::Kind::kMatchedRatio, .ratio = 0.99, .cap = 10});
  p.atol = 0.1;
  std::vector<float> got(1000, 1.0F);
  const std::vector<float> expected(1000, 1.0F);
  for (int i = 0; i < 10; ++i) got[static_cast<size_t>(i)] = 1.5F;
  EXPECT_FALSE(Check(p, got, expected).failed);
  EXPECT_EQ(Check(p, got, expected).mismatches, 10);
  got[10] = 1.5F;
  EXPECT_TRUE(Check(p, got, expected).failed) << "98.9 %";
  got[10] = 1.0F;
  got[0] = 2.5F;
  EXPECT_TRUE(Check(p, got, expected).failed) << "15 tolerances off";
}

TEST(CheckKinds, TopkIgnoresTheOrderInsideARowOnly) {
  const Parameter p = Output({2, 3}, {.kind = Compare::Kind::kTopk});
  EXPECT_FALSE(Check(p, {3, 1, 2, 6, 5, 4}, {1, 2, 3, 4, 5, 6}).failed);
  EXPECT_TRUE(Check(p, {3, 1, 4, 6, 5, 2}, {1, 2, 3, 4, 5, 6}).failed);
}

TEST(CheckKinds, StatisticalComparesDistributions) {
  const Parameter p = Output({20000}, {.kind = Compare::Kind::kStatistical});
  std::vector<float> a(20000), b(20000), shifted(20000);
  FillContent(a.data(), 20000, DType::kFloat32, {}, 1, 0);
  FillContent(b.data(), 20000, DType::kFloat32, {}, 2, 0);
  for (size_t i = 0; i < b.size(); ++i) shifted[i] = b[i] + 0.1F;
  EXPECT_FALSE(Check(p, a, b).failed);
  EXPECT_TRUE(Check(p, a, shifted).failed);
  EXPECT_TRUE(Check(p, std::vector<float>(20000, 0), b).failed);
}

TEST(CheckKinds, TheKolmogorovBoundIsAlmostNeverFalse) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  int rejected = 0;
  for (int run = 0; run < 4000; ++run) {
    std::vector<double> a(300), b(300);
    for (double& x : a) x = normal(random);
    for (double& x : b) x = normal(random);
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    const Distance d = KolmogorovSmirnov(a, b);
    rejected += d.found > d.allowed ? 1 : 0;
  }
  EXPECT_LE(rejected, 1);
}

TEST(CheckKinds, TwiceTheErrorOfTheReferenceIsForgiven) {
  const Parameter p = Output({2}, {});
  EXPECT_FALSE(Check(p, {1.02F, 1}, {1, 1}, 0.011).failed);
  EXPECT_TRUE(Check(p, {1.03F, 1}, {1, 1}, 0.011).failed);
}

// Bug: one element in 262,144 of a kernel that cuts its operands to TF32, as mma does, was wrong.
TEST(CheckKinds, FourTimesTheErrorOfAReferenceInTf32IsForgiven) {
  Parameter p = Output({2}, {});
  p.tf32 = true;
  EXPECT_FALSE(Check(p, {1.04F, 1}, {1, 1}, 0.011).failed);
  EXPECT_TRUE(Check(p, {1.05F, 1}, {1, 1}, 0.011).failed);
}

// Bug: one inaccurate element of the reference excused every other.
TEST(CheckKinds, TheErrorOfTheReferenceExcusesItsNeighboursOnly) {
  Parameter p = Output({256}, {});
  std::vector<float> oracle(256, 1.0F), own = oracle, got = oracle;
  own[70] = 5.0F;
  const std::vector<double> errors = BlockErrors(p, own.data(), oracle.data());
  EXPECT_EQ(errors, (std::vector<double>{0, 4, 0, 0}));
  got[100] = 8.0F;
  EXPECT_FALSE(CheckOutput(p, got.data(), {oracle.data(), errors}, 1).failed);
  got[100] = 1.0F;
  got[130] = 1.1F;
  EXPECT_TRUE(CheckOutput(p, got.data(), {oracle.data(), errors}, 1).failed);
}

TEST(CheckKinds, StridedOutputsAreComparedWithoutTheirGaps) {
  Parameter p = Output({2, 2}, {});
  p.layout = {{2, 2}, {3, 1}, 4, 5};
  EXPECT_FALSE(Check(p, {1, 2, 99, 3, 4}, {1, 2, -5, 3, 4}).failed);
  EXPECT_EQ(Check(p, {1, 2, 0, 3, 9}, {1, 2, 0, 3, 4}).first_mismatch, 3);
}

TEST(Content, OffsetsAscendFromZeroToTheEndAndPermutationsHoldEveryNumber) {
  std::vector<int32_t> x(2 * 50);
  FillContent(x.data(), 100, DType::kInt32, {Init::Kind::kOffsets, 0, 640, ""}, 3, 0, 50);
  for (size_t row = 0; row < 100; row += 50) {
    EXPECT_EQ(x[row], 0);
    EXPECT_EQ(x[row + 49], 640);
    EXPECT_TRUE(std::is_sorted(x.begin() + static_cast<long>(row), x.begin() + static_cast<long>(row) + 50));
  }
  FillContent(x.data(), 100, DType::kInt32, {Init::Kind::kPermutation, 0, 1, ""}, 3, 0, 50);
  EXPECT_FALSE(std::is_sorted(x.begin(), x.begin() + 50));
  std::sort(x.begin(), x.begin() + 50);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(x[static_cast<size_t>(i)], i);
}

TEST(Content, StressMakesSomeBlocksLargeZeroShiftedOrRepeated) {
  std::vector<float> plain(64 * 200), hard(64 * 200);
  FillContent(plain.data(), 64 * 200, DType::kFloat32, {}, 9, 0);
  hard = plain;
  StressContent(hard.data(), 64 * 200, DType::kFloat32, {}, 9, 0);
  int zero = 0, same = 0, large = 0, repeated = 0;
  for (size_t block = 0; block < hard.size(); block += 64) {
    zero += hard[block] == 0 && hard[block + 1] == 0;
    same += hard[block + 5] == plain[block + 5];
    large += std::fabs(hard[block + 5] - 30 * plain[block + 5]) < 1e-4F && plain[block + 5] != 0;
    repeated += hard[block] != 0 && hard[block + 7] == hard[block] && hard[block + 63] == hard[block];
  }
  for (const int count : {zero, same, large, repeated}) EXPECT_GT(count, 15);
  std::vector<float> share(6400);
  const Init uniform{Init::Kind::kUniform, 0, 1, ""};
  FillContent(share.data(), 6400, DType::kFloat32, uniform, 9, 0);
  StressContent(share.data(), 6400, DType::kFloat32, uniform, 9, 0);
  for (const float x : share) EXPECT_TRUE(x >= 0 && x < 1);
}

}  // namespace
}  // namespace kernelopt::worker
