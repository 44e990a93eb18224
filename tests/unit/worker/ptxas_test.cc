#include "build/ptxas.h"

#include <gtest/gtest.h>

namespace kernelopt::worker {
namespace {

// nvcc 13.0, as it printed it.
constexpr char kOutput[] = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z1LPd' for 'sm_90a'
ptxas info    : Function properties for _Z1LPd
    1408 bytes stack frame, 1660 bytes spill stores, 2020 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 1408 bytes cumulative stack size
ptxas info    : Compile time = 86.168 ms
ptxas info    : Compiling entry function '_Z1KPfi' for 'sm_90a'
ptxas info    : Function properties for _Z1KPfi
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, used 1 barriers, 256 bytes smem
ptxas info    : Compile time = 2.422 ms
)";

TEST(Ptxas, SaysWhatEachKernelUses) {
  const auto kernels = ReadPtxas(kOutput);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name(), "L(double*)");
  EXPECT_EQ(kernels[0].arch(), "sm_90a");
  EXPECT_EQ(kernels[0].registers(), 32);
  EXPECT_EQ(kernels[0].stack_bytes(), 1408);
  EXPECT_EQ(kernels[0].spill_store_bytes(), 1660);
  EXPECT_EQ(kernels[0].spill_load_bytes(), 2020);
  EXPECT_EQ(kernels[0].shared_bytes(), 0);
  EXPECT_EQ(kernels[1].name(), "K(float*, int)");
  EXPECT_EQ(kernels[1].registers(), 10);
  EXPECT_EQ(kernels[1].shared_bytes(), 256);
}

TEST(Ptxas, OtherOutputIsNoKernel) {
  EXPECT_TRUE(ReadPtxas("").empty());
  EXPECT_TRUE(ReadPtxas("kernel.cu(3): error: Used 12 registers\n").empty());
  EXPECT_EQ(ReadPtxas("ptxas info : Compiling entry function '_Z' for 'sm_90'\ncut off").size(), 1u);
}

}  // namespace
}  // namespace kernelopt::worker
