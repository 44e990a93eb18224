// Errors of a smaller type than the output's, within the tolerance that nobody gave.
#include "values/precision.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kernelopt::worker {
namespace {

constexpr int64_t kCount = 4096;

class Precision : public testing::Test {
 protected:
  Precision() {
    contract_.tolerance_from = "dtype";
    contract_.parameters.push_back(Tensor("x", TensorRole::kIn, kCount));
    contract_.parameters.push_back(Tensor("y", TensorRole::kOut, kCount));
  }

  static Parameter Tensor(const std::string& name, TensorRole role, int64_t elements) {
    Parameter p;
    p.name = name;
    p.role = role;
    p.dtype = DType::kFloat32;
    p.layout = {{elements}, {}, elements, elements};
    p.atol = 1e-4;
    p.rtol = 1e-3;
    return p;
  }

  // Numbers of size one, each off by at most `error` of itself.
  std::optional<PrecisionFacts> Of(double error) {
    std::vector<float> got, expected;
    for (int i = 0; i < kCount; ++i) {
      const double value = 1 + 0.5 * std::sin(i);
      expected.push_back(static_cast<float>(value));
      got.push_back(static_cast<float>(value * (1 + error * std::sin(3.0 * i))));
    }
    figures_ = CheckOutput(contract_.parameters[1], got.data(), {expected.data(), {}}, 1);
    return PrecisionOf(contract_, contract_.parameters[1], figures_, errors_);
  }

  Contract contract_;
  CheckFigures figures_;
  std::vector<double> errors_;
};

TEST_F(Precision, OfFloat16InThePlaceOfFloat32IsFoundThoughItIsClose) {
  const auto facts = Of(0x1p-11);
  ASSERT_TRUE(facts.has_value());
  EXPECT_FALSE(figures_.failed) << "within the tolerance by dtype";
  EXPECT_GT(facts->found, facts->allowed);
  EXPECT_NE(TooImprecise(contract_.parameters[1], *facts).find("12 bits"), std::string::npos) << TooImprecise(contract_.parameters[1], *facts);
}

TEST_F(Precision, OfAFastApproximationIsFine) {
  const auto facts = Of(0x1p-20);
  ASSERT_TRUE(facts.has_value());
  EXPECT_LT(facts->found, facts->allowed);
}

TEST_F(Precision, OfALongSumMayBeLessAndSoWhereTheReferenceIsNoBetter) {
  contract_.parameters[0] = Tensor("x", TensorRole::kIn, kCount << 26);
  EXPECT_NEAR(Of(0x1p-11)->allowed, 0x1p-24 * std::sqrt(0x1p26), 1e-12);
  contract_.parameters[0] = Tensor("x", TensorRole::kIn, kCount);
  errors_.assign(kCount / kErrorBlock, 1e-3);
  const auto facts = Of(0x1p-11);
  EXPECT_LT(facts->found, facts->allowed);
}

TEST_F(Precision, IsNotJudgedWhereSomebodyGaveATolerance) {
  contract_.tolerance_from = "cli";
  EXPECT_FALSE(Of(0x1p-11).has_value());
  contract_.tolerance_from = "dtype";
  contract_.tf32 = true;
  EXPECT_FALSE(Of(0x1p-11).has_value());
}

// 1 % may be anything, but not side by side.
TEST(SolidRuns, ARowThatIsWrongFailsWhateverTheRatio) {
  Parameter p;
  p.name = "y";
  p.role = TensorRole::kOut;
  p.dtype = DType::kFloat32;
  p.layout = {{64, 256}, {}, 64 * 256, 64 * 256};
  p.atol = p.rtol = 1e-3;
  p.compare.kind = Compare::Kind::kMatchedRatio;
  p.compare.ratio = 0.98;
  p.compare.cap = 1e9;
  std::vector<float> expected(64 * 256, 1.0F), scattered = expected, row = expected;
  for (size_t i = 0; i < 256; ++i) {
    scattered[i * 64 + i % 7] = 2.0F;
    row[5 * 256 + i] = 2.0F;
  }
  EXPECT_FALSE(CheckOutput(p, scattered.data(), {expected.data(), {}}, 1).failed);
  const CheckFigures f = CheckOutput(p, row.data(), {expected.data(), {}}, 1);
  EXPECT_TRUE(f.failed);
  EXPECT_EQ(f.solid_runs, 16);
  EXPECT_NE(f.message.find("side by side"), std::string::npos) << f.message;
}

}  // namespace
}  // namespace kernelopt::worker
