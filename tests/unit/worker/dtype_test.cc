#include "problem/dtype.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kernelopt::worker {
namespace {

double RoundTrip(DType type, double value) {
  char cell[8] = {};
  StoreElement(type, cell, 0, value);
  return LoadElement(type, cell, 0);
}

TEST(DType, ExactValuesSurviveInEveryFloatingType) {
  for (const DType type : {DType::kFloat64, DType::kFloat32, DType::kFloat16, DType::kBfloat16,
                           DType::kFloat8E4M3, DType::kFloat8E5M2}) {
    for (const double value : {0.0, 1.0, -1.0, 0.5, 1.5, -2.0, 16.0}) {
      EXPECT_EQ(RoundTrip(type, value), value) << DTypeName(type);
    }
    EXPECT_TRUE(std::isnan(RoundTrip(type, std::nan("")))) << DTypeName(type);
  }
}

TEST(DType, KnownBitPatterns) {
  uint16_t half = 0;
  StoreElement(DType::kFloat16, &half, 0, 65504.0);
  EXPECT_EQ(half, 0x7bff);
  StoreElement(DType::kFloat16, &half, 0, 65520.0);  // rounds to infinity
  EXPECT_EQ(half, 0x7c00);
  StoreElement(DType::kFloat16, &half, 0, std::ldexp(1.0, -24));  // smallest subnormal
  EXPECT_EQ(half, 0x0001);
  StoreElement(DType::kBfloat16, &half, 0, 3.140625);
  EXPECT_EQ(half, 0x4049);
  uint8_t tiny = 0;
  StoreElement(DType::kFloat8E4M3, &tiny, 0, 448.0);
  EXPECT_EQ(tiny, 0x7e);
  StoreElement(DType::kFloat8E5M2, &tiny, 0, 57344.0);
  EXPECT_EQ(tiny, 0x7b);
}

TEST(DType, TiesGoToEven) {
  EXPECT_EQ(RoundTrip(DType::kFloat16, 2049.0), 2048.0);
  EXPECT_EQ(RoundTrip(DType::kFloat16, 2051.0), 2052.0);
}

TEST(DType, AllHalvesRoundTripThroughDouble) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto cell = static_cast<uint16_t>(bits);
    const double value = LoadElement(DType::kFloat16, &cell, 0);
    if (std::isnan(value)) continue;
    uint16_t back = 0;
    StoreElement(DType::kFloat16, &back, 0, value);
    ASSERT_EQ(back, cell) << value;
  }
}

TEST(DType, IntegersSaturate) {
  EXPECT_EQ(RoundTrip(DType::kInt8, 300), 127);
  EXPECT_EQ(RoundTrip(DType::kInt8, -300), -128);
  EXPECT_EQ(RoundTrip(DType::kUint8, -1), 0);
  EXPECT_EQ(RoundTrip(DType::kInt64, 1e300), static_cast<double>(std::numeric_limits<int64_t>::max()));
}

TEST(DType, NamesAndTolerances) {
  EXPECT_EQ(DTypeFromName("bfloat16"), DType::kBfloat16);
  EXPECT_FALSE(DTypeFromName("float").has_value());
  EXPECT_EQ(DefaultTolerance(DType::kBfloat16).rtol, 1.6e-2);
  EXPECT_EQ(DefaultTolerance(DType::kFloat32).atol, 1e-4);
  EXPECT_EQ(DefaultTolerance(DType::kInt32).atol, 0);
}

}  // namespace
}  // namespace kernelopt::worker
