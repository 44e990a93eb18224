#include "queue/explain.h"

#include <gtest/gtest.h>

#include "google/protobuf/util/time_util.h"

namespace kernelopt::server {
namespace {

using google::protobuf::util::TimeUtil;

// A queued job on an idle device, at 1970-01-01 00:00:10.
WaitFacts Idle() {
  WaitFacts facts;
  facts.now_us = 10'000'000;
  facts.job.set_name("jobs/me");
  facts.job.set_state(v1::JOB_STATE_QUEUED);
  facts.job.set_owner_uid(7);
  facts.job.mutable_spec()->set_device("host");
  facts.device.emplace();
  facts.device->set_online(true);
  return facts;
}

TEST(Explain, NamesTheFirstThingInTheWay) {
  WaitFacts facts = Idle();
  facts.device.reset();
  EXPECT_EQ(Explain(facts).reason(), "NO_WORKER");
  facts = Idle();
  EXPECT_EQ(Explain(facts).reason(), "NEXT");
  facts.position = 4;
  facts.in_front = "jobs/x";
  EXPECT_EQ(Explain(facts).reason(), "BEHIND_JOBS");
  EXPECT_EQ(Explain(facts).next_in_front(), "jobs/x");
  EXPECT_EQ(Explain(facts).jobs_ahead(), 3);
  facts.device->mutable_reservation()->set_uid(8);
  EXPECT_EQ(Explain(facts).reason(), "DEVICE_RESERVED");
  facts.device->mutable_reservation()->set_uid(7);
  EXPECT_EQ(Explain(facts).reason(), "BEHIND_JOBS") << "reserved for its owner";
  facts.device->set_drained(true);
  EXPECT_EQ(Explain(facts).reason(), "DEVICE_DRAINED");
  facts.pause_reason = "maintenance";
  EXPECT_NE(Explain(facts).message().find("maintenance"), std::string::npos);
  facts.unmet_job = "jobs/other";
  EXPECT_EQ(Explain(facts).reason(), "DEPENDENCY");
  EXPECT_EQ(Explain(facts).next_in_front(), "jobs/other");
  facts.job.set_state(v1::JOB_STATE_HELD);
  EXPECT_EQ(Explain(facts).reason(), "HELD");
  facts.job.set_state(v1::JOB_STATE_LEASED);
  EXPECT_EQ(Explain(facts).reason(), "BUILDING");
  facts.job.set_state(v1::JOB_STATE_RUNNING);
  EXPECT_EQ(Explain(facts).reason(), "RUNNING");
  facts.job.set_state(v1::JOB_STATE_FAILED);
  EXPECT_EQ(Explain(facts).reason(), "ENDED");
}

TEST(Explain, TellsWhatIsWrongWithTheDevice) {
  WaitFacts facts = Idle();
  facts.device->set_fault("no GPU of this name");
  EXPECT_EQ(Explain(facts).reason(), "DEVICE_FAULT");
  EXPECT_NE(Explain(facts).message().find("no GPU of this name"), std::string::npos);
  facts.device->mutable_quarantined_until()->set_seconds(30);
  EXPECT_EQ(Explain(facts).reason(), "DEVICE_QUARANTINED");
  EXPECT_EQ(Explain(facts).estimated_start_time().seconds(), 30);
  facts.device->set_quarantined_uid(8);
  EXPECT_EQ(Explain(facts).reason(), "NEXT") << "somebody else's";
  facts.device->set_quarantined_uid(7);
  EXPECT_EQ(Explain(facts).reason(), "DEVICE_QUARANTINED");
  facts.device->set_online(false);
  EXPECT_EQ(Explain(facts).reason(), "NO_WORKER");
  EXPECT_NE(Explain(facts).message().find("no GPU of this name"), std::string::npos);
}

TEST(Explain, EstimatesFromTheUsualLengthAndOnlyWhenThereIsOne) {
  WaitFacts facts = Idle();
  facts.position = 3;
  facts.in_front = "jobs/x";
  EXPECT_FALSE(Explain(facts).has_estimated_start_time());
  facts.pace_us = 2'000'000;
  EXPECT_EQ(Explain(facts).estimated_start_time().seconds(), 10 + 2 * 2);
  facts.device->set_current_job("jobs/now");
  EXPECT_EQ(Explain(facts).estimated_start_time().seconds(), 10 + 3 * 2);
  EXPECT_NE(Explain(facts).message().find("in about 6 s"), std::string::npos) << Explain(facts).message();
}

TEST(Explain, QuotasSayWhenItGoesOn) {
  WaitFacts facts = Idle();
  facts.barred = "turn_seconds_per_day";
  facts.quota = 60;
  EXPECT_EQ(Explain(facts).reason(), "TURN_SECONDS_LIMIT");
  EXPECT_EQ(Explain(facts).estimated_start_time().seconds(), 86'400) << "the next UTC day";
  facts.barred = "running_jobs";
  EXPECT_EQ(Explain(facts).reason(), "RUNNING_JOBS_LIMIT");
}

TEST(Explain, ATimeToWaitForIsTheEstimateUntilItHasPassed) {
  WaitFacts facts = Idle();
  facts.job.mutable_spec()->mutable_not_before()->set_seconds(11);
  EXPECT_EQ(Explain(facts).reason(), "NOT_BEFORE");
  EXPECT_EQ(Explain(facts).estimated_start_time().seconds(), 11);
  facts.now_us = 11'000'000;
  EXPECT_EQ(Explain(facts).reason(), "NEXT");
}

}  // namespace
}  // namespace kernelopt::server
