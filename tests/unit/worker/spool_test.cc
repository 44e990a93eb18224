#include "agent/spool.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace kernelopt::worker {
namespace {

v1::ResultReport Report(const std::string& job, int64_t epoch) {
  v1::ResultReport report;
  report.mutable_lease()->set_job(job);
  report.mutable_lease()->set_attempt(1);
  report.mutable_lease()->set_epoch(epoch);
  report.mutable_result()->set_protocol("kopt-1");
  return report;
}

TEST(Spool, KeepsResultsAcrossProcessesUntilTheyAreConfirmed) {
  std::string name = "/tmp/kopt-spool-XXXXXX";
  const std::string directory = mkdtemp(name.data());
  auto spool = Spool::Open(directory);
  ASSERT_TRUE(spool.ok());
  ASSERT_TRUE(spool->Put(Report("jobs/a", 1)).ok());
  ASSERT_TRUE(spool->Put(Report("jobs/b", 2)).ok());

  auto again = Spool::Open(directory);
  ASSERT_EQ(again->All().size(), 2u);
  EXPECT_EQ(again->All()[0].result().protocol(), "kopt-1");
  again->Remove(Report("jobs/a", 1).lease());
  again->Reject(Report("jobs/b", 2).lease());

  EXPECT_TRUE(again->All().empty());
  EXPECT_TRUE(std::filesystem::exists(directory + "/rejected/jobs_b-1-2.result"));
  std::filesystem::remove_all(directory);
}

TEST(Spool, ADamagedFileIsSetAside) {
  std::string name = "/tmp/kopt-spool-XXXXXX";
  const std::string directory = mkdtemp(name.data());
  auto spool = Spool::Open(directory);
  std::ofstream(directory + "/torn.result") << "\xff\xff\xff";
  EXPECT_TRUE(spool->All().empty());
  EXPECT_TRUE(std::filesystem::exists(directory + "/rejected/torn.result"));
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace kernelopt::worker
