#include "values/check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "values/content.h"

namespace kernelopt::worker {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

Parameter Floats(int64_t n) {
  Parameter p;
  p.name = "y";
  p.role = TensorRole::kOut;
  p.layout = {{n}, {}, n, n};
  return p;
}

CheckFigures CheckWith(Parameter p, const std::vector<float>& got, const std::vector<float>& expected,
                       double atol = 0, double rtol = 0, double reference_error = 0) {
  p.atol = atol;
  p.rtol = rtol;
  const std::vector<double> errors(expected.size() / 64 + 1, reference_error);
  return CheckOutput(p, got.data(), {expected.data(), errors}, 1);
}

CheckFigures Check(const std::vector<float>& got, const std::vector<float>& expected, double atol = 0,
                   double rtol = 0) {
  return CheckWith(Floats(static_cast<int64_t>(got.size())), got, expected, atol, rtol);
}

TEST(Check, EqualIsRight) {
  const std::vector<float> x(5000, 1.5F);
  const CheckFigures f = Check(x, x);
  EXPECT_EQ(f.mismatches, 0);
  EXPECT_EQ(f.max_abs, 0);
  EXPECT_EQ(f.first_mismatch, -1);
}

TEST(Check, ANanThatIsExpectedMatchesOnlyWhereTheProblemAllowsIt) {
  const std::vector<float> nan = {kNan};
  Parameter p = Floats(1);
  EXPECT_EQ(CheckOutput(p, nan.data(), {nan.data()}, 1).mismatches, 0);
  p.compare.nan_equal = false;
  EXPECT_EQ(CheckOutput(p, nan.data(), {nan.data()}, 1).mismatches, 1);
}

TEST(Check, OneWrongElementIsFoundWhereverItIs) {
  const std::vector<float> expected(4099, 2.0F);
  for (const size_t at : {0u, 7u, 8u, 1023u, 1024u, 4095u, 4096u, 4098u}) {
    std::vector<float> got = expected;
    got[at] = 3.0F;
    const CheckFigures f = Check(got, expected, 1e-4, 1e-3);
    EXPECT_EQ(f.mismatches, 1) << at;
    EXPECT_EQ(f.first_mismatch, static_cast<int64_t>(at));
    EXPECT_EQ(f.first_got, 3.0);
    EXPECT_EQ(f.max_abs, 1.0);
    EXPECT_EQ(f.max_rel, 0.5);
  }
}

TEST(Check, ToleranceIsAtolPlusRtolTimesExpected) {
  EXPECT_EQ(Check({100.5F}, {100.0F}, 0.4, 0.001).mismatches, 0);
  EXPECT_EQ(Check({100.51F}, {100.0F}, 0.4, 0.001).mismatches, 1);
}

TEST(Check, NanMatchesNanOnlyAndInfinitiesExactly) {
  EXPECT_EQ(Check({kNan}, {kNan}).mismatches, 0);
  EXPECT_EQ(Check({kNan}, {1}).nans, 1);
  EXPECT_EQ(Check({1}, {kNan}, 1e9, 1e9).mismatches, 1);
  EXPECT_EQ(Check({kInf}, {kInf}).mismatches, 0);
  EXPECT_EQ(Check({-kInf}, {kInf}, 1e9, 1e9).mismatches, 1);
  EXPECT_EQ(Check({1e30F}, {kInf}, 1e9, 1e9).mismatches, 1);
  std::vector<float> got(2048, 1.0F), expected(2048, 1.0F);
  expected[9] = kInf;
  EXPECT_EQ(Check(got, expected, 1, 1).mismatches, 1);
}

TEST(Check, PoisonCountsAsUnwritten) {
  std::vector<float> got(16, 1.0F), expected(16, 1.0F);
  FillPoison(got.data() + 3, 2, DType::kFloat32, 77);
  const CheckFigures f = CheckOutput(Floats(16), got.data(), {expected.data()}, 77);
  EXPECT_EQ(f.mismatches, 2);
  EXPECT_EQ(f.unwritten, 2);
  EXPECT_EQ(CheckOutput(Floats(16), got.data(), {expected.data()}, 78).unwritten, 0);
}

TEST(Check, IntegersAreExactAlsoBeyondDoublePrecision) {
  Parameter p = Floats(1);
  p.dtype = DType::kInt64;
  p.atol = p.rtol = 1e9;
  const int64_t a = (int64_t{1} << 60) + 1, b = int64_t{1} << 60;
  EXPECT_EQ(CheckOutput(p, &a, {&b}, 0).mismatches, 1);
  EXPECT_EQ(CheckOutput(p, &a, {&a}, 0).mismatches, 0);
}

TEST(Check, MeansAreOverAllElements) {
  const CheckFigures f = Check({1.0F, 2.0F, 3.0F, 4.5F}, {1.0F, 2.0F, 3.0F, 4.0F}, 1, 0);
  EXPECT_NEAR(f.mean_abs, 0.125, 1e-12);
  EXPECT_NEAR(f.mean_rel, 0.03125, 1e-12);
}

TEST(Check, MergeKeepsTheWorstDraw) {
  v1::OutputCheck record;
  record.set_first_mismatch(-1);
  Merge(Check({1.0F}, {1.0F}), record);
  EXPECT_TRUE(record.passed());
  Merge(Check({3.0F}, {1.0F}), record);
  Merge(Check({1.0F}, {1.0F}), record);
  EXPECT_FALSE(record.passed());
  EXPECT_EQ(record.first_got(), 3.0);
  EXPECT_EQ(record.max_abs_error(), 2.0);
}

}  // namespace
}  // namespace kernelopt::worker
