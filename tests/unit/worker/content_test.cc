#include "values/content.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace kernelopt::worker {
namespace {

std::vector<float> Fill(const Init& init, uint64_t nonce, int64_t count = 100'000, uint32_t tensor = 0) {
  std::vector<float> x(static_cast<size_t>(count));
  FillContent(x.data(), count, DType::kFloat32, init, nonce, tensor);
  return x;
}

TEST(Content, NormalHasMeanZeroVarianceOneAndNormalTails) {
  const std::vector<float> x = Fill({Init::Kind::kNormal, 0, 1}, 42, 1'000'000);
  double sum = 0, squares = 0, fourth = 0;
  for (const float v : x) {
    const double d = v;
    sum += d;
    squares += d * d;
    fourth += d * d * d * d;
  }
  const double n = static_cast<double>(x.size());
  EXPECT_NEAR(sum / n, 0, 0.005);
  EXPECT_NEAR(squares / n, 1, 0.01);
  EXPECT_NEAR(fourth / n, 2.7, 0.05);  // Irwin-Hall of four: kurtosis 3 - 1.2/4
}

TEST(Content, SameNonceSameContentOtherNonceOrTensorOtherContent) {
  const Init init;
  EXPECT_EQ(Fill(init, 1), Fill(init, 1));
  const std::vector<float> a = Fill(init, 1), b = Fill(init, 2), c = Fill(init, 1, 100'000, 1);
  int same_b = 0, same_c = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    same_b += a[i] == b[i];
    same_c += a[i] == c[i];
  }
  EXPECT_LT(same_b, 50);
  EXPECT_LT(same_c, 50);
}

TEST(Content, ASampleOfElementsDoesNotTellTheRest) {
  // Neighbours and strided elements are uncorrelated.
  const std::vector<float> x = Fill({Init::Kind::kNormal, 0, 1}, 7, 1 << 18);
  for (const size_t stride : {1u, 2u, 64u, 4096u}) {
    double product = 0;
    for (size_t i = 0; i + stride < x.size(); ++i) product += static_cast<double>(x[i]) * static_cast<double>(x[i + stride]);
    EXPECT_NEAR(product / static_cast<double>(x.size()), 0, 0.01) << stride;
  }
}

TEST(Content, UniformAndRandintStayInRangeAndReachTheEnds) {
  for (const float v : Fill({Init::Kind::kUniform, -2, 3}, 3)) {
    ASSERT_GE(v, -2);
    ASSERT_LT(v, 3.0001F);
  }
  std::vector<int32_t> ints(10'000);
  FillContent(ints.data(), 10'000, DType::kInt32, {Init::Kind::kRandint, -1, 2}, 3, 0);
  std::vector<int> seen(3);
  for (const int32_t v : ints) {
    ASSERT_TRUE(v >= -1 && v <= 1) << v;
    ++seen[static_cast<size_t>(v + 1)];
  }
  for (const int count : seen) EXPECT_NEAR(count, 3333, 300);
}

TEST(Content, LargeIntegersAreNotRoundedToFloat) {
  std::vector<int64_t> x(1000);
  FillContent(x.data(), 1000, DType::kInt64, {Init::Kind::kRandint, 0, 1e12}, 3, 0);
  int odd = 0;
  for (const int64_t v : x) odd += v % 2 != 0;
  EXPECT_GT(odd, 300);
}

TEST(Content, PoisonIsNanForFloatsAndIsRecognised) {
  for (const DType type : {DType::kFloat64, DType::kFloat32, DType::kFloat16, DType::kBfloat16,
                           DType::kFloat8E4M3, DType::kFloat8E5M2}) {
    char cells[64] = {};
    FillPoison(cells, 8, type, 99);
    EXPECT_TRUE(std::isnan(LoadElement(type, cells, 7))) << DTypeName(type);
    EXPECT_TRUE(IsPoison(cells, 7, type, 99)) << DTypeName(type);
    StoreElement(type, cells, 7, 1.0);
    EXPECT_FALSE(IsPoison(cells, 7, type, 99)) << DTypeName(type);
  }
  int32_t a[2], b[2];
  FillPoison(a, 2, DType::kInt32, 1);
  FillPoison(b, 2, DType::kInt32, 2);
  EXPECT_NE(a[0], b[0]);
}

}  // namespace
}  // namespace kernelopt::worker
