#include "device/tensor_rate.h"

#include <gtest/gtest.h>

namespace kernelopt::worker {
namespace {

// Multiprocessors and boost clock of a card give its published dense peak.
TEST(TensorRate, GivesThePublishedPeaks) {
  const auto tflops = [](const char* arch, DType type, int sms, double ghz) { return TensorRate(arch, type) * sms * ghz / 1e3; };
  EXPECT_NEAR(tflops("70", DType::kFloat16, 80, 1.53), 125, 1);             // V100
  EXPECT_NEAR(tflops("80", DType::kBfloat16, 108, 1.41), 312, 1);           // A100
  EXPECT_NEAR(tflops("89", DType::kFloat8E4M3, 128, 2.52), 660.6, 1);       // RTX 4090
  EXPECT_NEAR(tflops("90a", DType::kBfloat16, 132, 1.83), 989.4, 1);        // H100, H200
  EXPECT_NEAR(tflops("90a", DType::kFloat8E5M2, 132, 1.83), 1978.9, 1);
  EXPECT_NEAR(tflops("90a", DType::kInt8, 132, 1.83), 1978.9, 1);
  EXPECT_NEAR(tflops("120a", DType::kFloat16, 170, 2.407), 419, 1);         // RTX 5090
}

// A reference that casts to bfloat16, tolerances that let TF32 pass: who uses that is honest.
TEST(TensorRate, OfFloat32IsThatOfHalves) {
  EXPECT_EQ(TensorRate("90a", DType::kFloat32), TensorRate("90a", DType::kBfloat16));
}

// NVFP4 and int4 come as bytes.
TEST(TensorRate, OfBytesIsThatOfFourBits) { EXPECT_EQ(TensorRate("100a", DType::kUint8), 2 * TensorRate("100a", DType::kFloat8E4M3)); }

TEST(TensorRate, IsNothingWhereNoneIsKnown) {
  EXPECT_EQ(TensorRate("61", DType::kFloat16), 0);
  EXPECT_EQ(TensorRate("", DType::kFloat16), 0);
  EXPECT_EQ(TensorRate("90a", DType::kFloat64), 0);
  EXPECT_EQ(TensorRate("90a", DType::kInt32), 0);
}

}  // namespace
}  // namespace kernelopt::worker
