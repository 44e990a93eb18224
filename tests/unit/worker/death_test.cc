#include "judge/death.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>

namespace kernelopt::worker {
namespace {

const std::vector<ToldTensor> kTensors = {{"x", false}, {"y", true}};

Finding Died(int signal_number, wire::Fault fault = {}) {
  fault.signal = signal_number;
  return ExplainDeath({true, signal_number}, fault, kTensors, "solve()");
}

TEST(Death, AnExitCodeIsNamed) {
  const Finding f = ExplainDeath({false, 3}, {}, kTensors, "solve()");
  EXPECT_EQ(f.verdict, v1::VERDICT_RUNTIME_ERROR);
  EXPECT_EQ(f.reason, "EXIT");
  EXPECT_NE(f.message.find("exit code 3"), std::string::npos);
}

TEST(Death, AFaultOnAnInputIsAWriteOneInAGuardIsOutOfBounds) {
  EXPECT_EQ(Died(SIGSEGV, {0, 0, 0x1000, 0, 0}).reason, "INPUT_WRITTEN");
  EXPECT_EQ(Died(SIGSEGV, {0, 1, 0x1000, 1, 0}).reason, "OUT_OF_BOUNDS");
  EXPECT_EQ(Died(SIGBUS, {0, -1, 0, 0, 0}).reason, "SIGNAL");
}

TEST(Death, AForkIsToldFromOtherForbiddenCalls) {
  EXPECT_EQ(Died(SIGSYS, {0, -1, 0, 0, SYS_fork}).reason, "FORK_REFUSED");
  EXPECT_EQ(Died(SIGSYS, {0, -1, 0, 0, SYS_clone}).reason, "FORK_REFUSED");
  EXPECT_EQ(Died(SIGSYS, {0, -1, 0, 0, SYS_mount}).reason, "SIGNAL");
}

TEST(Death, AForgedTensorIndexIsHarmless) {
  EXPECT_EQ(Died(SIGSEGV, {0, 1'000'000, 0, 0, 0}).reason, "SIGNAL");
  EXPECT_EQ(Died(SIGSEGV, {0, -5, 0, 1, 0}).reason, "SIGNAL");
}

TEST(Death, NothingTheRunnerSaysMakesItCorrect) {
  for (int signal_number = 1; signal_number < 32; ++signal_number) {
    EXPECT_EQ(Died(signal_number).verdict, v1::VERDICT_RUNTIME_ERROR) << signal_number;
  }
}

}  // namespace
}  // namespace kernelopt::worker
