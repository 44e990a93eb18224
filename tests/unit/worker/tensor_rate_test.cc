#include "device/tensor_rate.h"

#include <gtest/gtest.h>

namespace kernelopt::worker {
namespace {

// Multiprocessors and boost clock of a card give its published dense peak.
TEST(TensorRate, GivesThePublishedPeaks) {
  const auto tflops = [](const char* arch, DType type, bool tf32, int sms, double ghz) { return TensorRate(arch, type, tf32) * sms * ghz / 1e3; };
  EXPECT_NEAR(tflops("70", DType::kFloat16, false, 80, 1.53), 125, 1);             // V100
  EXPECT_NEAR(tflops("80", DType::kBfloat16, false, 108, 1.41), 312, 1);           // A100
  EXPECT_NEAR(tflops("89", DType::kFloat8E4M3, false, 128, 2.52), 660.6, 1);       // RTX 4090
  EXPECT_NEAR(tflops("90a", DType::kBfloat16, false, 132, 1.83), 989.4, 1);        // H100, H200
  EXPECT_NEAR(tflops("90a", DType::kFloat8E5M2, false, 132, 1.83), 1978.9, 1);
  EXPECT_NEAR(tflops("90a", DType::kInt8, false, 132, 1.83), 1978.9, 1);
  EXPECT_NEAR(tflops("120a", DType::kFloat16, false, 170, 2.407), 419, 1);         // RTX 5090
}

// Three products of halves have the precision of float32.
TEST(TensorRate, OfFloat32IsThatOfTheHalvesThatMakeIt) {
  EXPECT_DOUBLE_EQ(3 * TensorRate("90a", DType::kFloat32, false), TensorRate("90a", DType::kFloat32, true));
  EXPECT_DOUBLE_EQ(TensorRate("90a", DType::kFloat32, true), TensorRate("90a", DType::kFloat16, false));
}

TEST(TensorRate, IsNothingWhereNoneIsKnown) {
  EXPECT_EQ(TensorRate("61", DType::kFloat16, false), 0);
  EXPECT_EQ(TensorRate("", DType::kFloat16, false), 0);
  EXPECT_EQ(TensorRate("90a", DType::kFloat64, false), 0);
  EXPECT_EQ(TensorRate("90a", DType::kInt32, false), 0);
}

}  // namespace
}  // namespace kernelopt::worker
