// The k-th call that changes a file fails: EIO, ENOSPC, half a write. Nothing is
// corrupted, nothing acknowledged is lost, and when the disk is well again so is
// the box, without a restart. TEST_FAULTS sets the largest k (200).
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "crash/box.h"
#include "crash/sim_disk.h"
#include "harness/wanted.h"
#include "spdlog/spdlog.h"

namespace kernelopt::test {
namespace {

namespace fs = std::filesystem;

struct Outcome {
  int errors = 0, refused_starts = 0, untouched = 0, silent = 0;
};

// One run of the same work with one fault; false: the fault never came.
void RunWith(SimDisk::Fault fault, int64_t k, int64_t times, Outcome& outcome) {
  std::string directory = "/dev/shm/kopt-fault-XXXXXX";
  ASSERT_NE(mkdtemp(directory.data()), nullptr);
  Box box(directory);
  std::mt19937 dice(17);
  {
    SimDisk disk(directory);
    disk.FailAt(k, fault, times);
    absl::Status opened = box.Open();
    if (!opened.ok()) {
      EXPECT_FALSE(opened.message().empty());
      ++outcome.refused_starts;
      for (int i = 0; i < 400 && !opened.ok(); ++i) {  // an admin tries again
        box.Close();
        opened = box.Open();
      }
    }
    ASSERT_TRUE(opened.ok()) << opened;
    int errors = 0;
    const auto work = [&] {
      for (int i = 0; i < 14; ++i) {
        const absl::Status status = box.Step(dice);
        errors += status.ok() ? 0 : 1;
        EXPECT_TRUE(status.ok() || !status.message().empty());
      }
    };
    work();
    outcome.errors += errors > 0 ? 1 : 0;
    // The fault is over after `times` calls; some of them must have been used up.
    for (int i = 0; i < 200 && disk.calls() < k + times; ++i) (void)box.Step(dice);
    if (disk.calls() < k) ++outcome.untouched;
    errors = 0;
    work();
    EXPECT_EQ(errors, 0) << "well again without a restart";
    EXPECT_EQ(box.Check(), "");
    box.Close();
  }
  ASSERT_TRUE(box.Open().ok());
  EXPECT_EQ(box.Check(), "") << "after a restart";
  box.Close();
  fs::remove_all(directory);
}

TEST(IoFault, TheFirstTwoHundredCallsMayEachFailInThreeWays) {
  spdlog::set_level(spdlog::level::off);
  const int64_t most = Wanted("TEST_FAULTS", 200);
  Outcome outcome;
  int64_t runs = 0;
  for (int64_t k = 1; k <= most; ++k) {
    for (const auto fault : {SimDisk::Fault::kEio, SimDisk::Fault::kEnospc, SimDisk::Fault::kShort}) {
      RunWith(fault, k, 1, outcome);
      ++runs;
      if (HasFatalFailure() || HasNonfatalFailure()) {
        FAIL() << "k = " << k << ", fault " << static_cast<int>(fault);
      }
    }
    if (outcome.untouched > 0) {
      std::printf("call %lld was never made: the sweep is complete\n", static_cast<long long>(k));
      break;
    }
  }
  std::printf("%lld runs with one failing call each: %d starts refused, %d runs with errors, 0 corrupted, 0 lost\n",
              static_cast<long long>(runs), outcome.refused_starts, outcome.errors);
  EXPECT_GT(outcome.errors, 0);
}

TEST(IoFault, ADiskThatStaysFullForAWhileHealsByItself) {
  spdlog::set_level(spdlog::level::off);
  Outcome outcome;
  for (int64_t k = 100; k <= 400; k += 23) RunWith(SimDisk::Fault::kEnospc, k, 60, outcome);
  EXPECT_GT(outcome.errors, 0);
}

}  // namespace
}  // namespace kernelopt::test
