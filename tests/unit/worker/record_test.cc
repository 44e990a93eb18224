#include "judge/record.h"

#include <gtest/gtest.h>

namespace kernelopt::worker {
namespace {

constexpr int kCalls = 60;

// One candidate on a GPU whose calls take `us`.
class Record : public testing::Test {
 protected:
  Record() {
    v1::SubjectSpec spec;
    spec.set_role(v1::ROLE_CANDIDATE);
    spec.set_builtin(v1::BUILTIN_BASELINE_EAGER);
    subjects_.push_back(std::make_unique<Subject>(spec));
    rounds_.samples.resize(1);
    rounds_.fresh.resize(1);
    rounds_.back_to_back.resize(1);
    calibration_.band_us = 5;
    rule_.events = true;
  }

  void Calls(double us, int apart = 0, int late = 0) {
    for (int i = 0; i < kCalls; ++i) {
      Sample sample{.called = true, .time_us = us, .within_us = us, .inner_us = us};
      sample.late = i < late;
      sample.apart = i < apart + late;
      rounds_.samples[0].push_back(sample);
    }
  }

  static v1::SubjectSpec SolutionSpec() {
    v1::SubjectSpec spec;
    spec.set_role(v1::ROLE_CANDIDATE);
    spec.mutable_solution()->add_files()->set_path("kernel.cu");
    return spec;
  }

  const v1::SubjectResult& Recorded() {
    RecordTimings(rounds_, calibration_, rule_, subjects_);
    return subjects_[0]->record();
  }

  TimedRounds rounds_;
  Calibration calibration_;
  RecordRule rule_;
  Subjects subjects_;
};

TEST_F(Record, ATimeBelowThatOfCallsBehindEachOtherHidesWork) {
  Calls(1.3);
  rounds_.back_to_back[0] = {.calls = 64, .us = 5, .warm_us = 4, .host_us = 2};
  EXPECT_EQ(Recorded().verdict(), v1::VERDICT_INTEGRITY_VIOLATION);
  EXPECT_EQ(Recorded().reason(), "BELOW_BOUND");
  EXPECT_EQ(Recorded().evidence_size(), 1);
  EXPECT_DOUBLE_EQ(Recorded().timing().back_to_back_us(), 5);
}

TEST_F(Record, TwoPerCentBelowItIsHonest) {
  Calls(4.91);
  rounds_.back_to_back[0] = {.calls = 64, .us = 5, .warm_us = 4, .host_us = 2};
  EXPECT_EQ(Recorded().verdict(), v1::VERDICT_CORRECT);
  EXPECT_EQ(Recorded().timing().witness(), v1::WITNESS_WITNESSED);
}

// Bug: asking the cache to keep its inputs made calls behind each other slower than single ones, and was an accusation.
TEST_F(Record, ALittleBelowTheBoundIsNoAccusationAndNeverFaster) {
  Calls(86.85);
  rounds_.back_to_back[0] = {.calls = 64, .us = 114.88, .warm_us = 80, .host_us = 2};
  EXPECT_EQ(Recorded().verdict(), v1::VERDICT_CORRECT);
  EXPECT_EQ(Recorded().timing().witness(), v1::WITNESS_UNWITNESSED);
  EXPECT_EQ(Recorded().notes_size(), 1);
}

TEST_F(Record, BelowTheBatchOfTheSameProcessThereIsNoLuck) {
  Calls(4.7);
  rounds_.back_to_back[0] = {.calls = 64, .us = 5, .warm_us = 4, .host_us = 2};
  rule_.process_us = 0.15;
  EXPECT_EQ(Recorded().timing().witness(), v1::WITNESS_UNWITNESSED);
}

// The batch is of one process, the median of four, whose launches have luck of
// their own.
TEST_F(Record, TheLuckOfSeveralProcessesIsNoHiddenWork) {
  Calls(4.7);
  rounds_.back_to_back[0] = {.calls = 64, .us = 5, .warm_us = 4, .host_us = 2};
  rule_.process_us = 0.15;
  rounds_.process_begins = {0, 4, 8, 12};
  subjects_[0] = std::make_unique<Subject>(SolutionSpec());
  EXPECT_EQ(Recorded().verdict(), v1::VERDICT_CORRECT);
  EXPECT_EQ(Recorded().timing().processes(), 4);
}

TEST_F(Record, BelowTheFloorIsSuspect) {
  Calls(8.4);
  rule_.floor_us = 10;
  EXPECT_TRUE(Recorded().timing().suspect());
  EXPECT_EQ(Recorded().verdict(), v1::VERDICT_CORRECT);
}

TEST_F(Record, FifteenPerCentBelowTheFloorIsNot) {
  Calls(8.5);
  rule_.floor_us = 10;
  EXPECT_FALSE(Recorded().timing().suspect());
}

// A thread that launches when the process is woken, before it is called.
TEST_F(Record, AGpuAtWorkBeforeMostCallsIsNoAccident) {
  Calls(10);
  for (int i = 0; i < 31; ++i) rounds_.samples[0][static_cast<size_t>(i)].early = true;
  subjects_[0] = std::make_unique<Subject>(SolutionSpec());
  EXPECT_EQ(Recorded().verdict(), v1::VERDICT_INTEGRITY_VIOLATION);
  EXPECT_EQ(Recorded().reason(), "NOT_IDLE");
}

TEST_F(Record, BeforeHalfOfThemItMayBe) {
  Calls(10);
  for (int i = 0; i < 30; ++i) rounds_.samples[0][static_cast<size_t>(i)].early = true;
  subjects_[0] = std::make_unique<Subject>(SolutionSpec());
  EXPECT_EQ(Recorded().verdict(), v1::VERDICT_CORRECT);
}

TEST_F(Record, TimeIsGivenInCyclesToo) {
  Calls(10);
  for (Sample& sample : rounds_.samples[0]) sample.clock_mhz = 1980;
  EXPECT_DOUBLE_EQ(Recorded().timing().sm_clock_mhz(), 1980);
  EXPECT_DOUBLE_EQ(Recorded().timing().median_cycles(), 19'800);
}

TEST_F(Record, CallsOfASlowedDeviceAreDroppedAndDisturb) {
  Calls(10);
  for (int i = 0; i < 7; ++i) rounds_.samples[0][static_cast<size_t>(i)].slowed = true;
  EXPECT_EQ(Recorded().verdict(), v1::VERDICT_DISTURBED);
  EXPECT_EQ(Recorded().timing().dropped(), 7);
  EXPECT_EQ(Recorded().timing().slowed(), 7);
}

TEST_F(Record, OutputsThatStayInTheCacheAreNoHiddenWork) {
  Calls(4);
  rule_.write_back_us = 1;
  rounds_.back_to_back[0] = {.calls = 64, .us = 5, .warm_us = 4, .host_us = 2};
  EXPECT_EQ(Recorded().verdict(), v1::VERDICT_CORRECT);
}

TEST_F(Record, ALaunchBoundBatchAccusesNobody) {
  Calls(3);
  rounds_.back_to_back[0] = {.calls = 64, .us = 5, .warm_us = 5, .host_us = 4.5};
  EXPECT_EQ(Recorded().verdict(), v1::VERDICT_CORRECT);
  EXPECT_TRUE(Recorded().timing().launch_bound());
}

// Jobs ended DISTURBED because another process ran on the runners' CPU: times
// between events do not depend on it.
TEST_F(Record, ACpuThatComesLateDoesNotDisturbTimesBetweenEvents) {
  Calls(10, /*apart=*/20);
  EXPECT_EQ(Recorded().verdict(), v1::VERDICT_CORRECT);
  EXPECT_EQ(Recorded().timing().dropped(), 20);
}

TEST_F(Record, ACpuThatComesLateDisturbsTheJudgesClock) {
  rule_.events = false;
  Calls(10, /*apart=*/20);
  EXPECT_EQ(Recorded().verdict(), v1::VERDICT_DISTURBED);
}

TEST_F(Record, ABusyDeviceDisturbs) {
  Calls(10, /*apart=*/0, /*late=*/7);
  EXPECT_EQ(Recorded().verdict(), v1::VERDICT_DISTURBED);
}

TEST_F(Record, SixOfSixtyAreTenPerCentAndNotMore) {
  Calls(10, /*apart=*/0, /*late=*/6);
  EXPECT_EQ(Recorded().verdict(), v1::VERDICT_CORRECT);
}

}  // namespace
}  // namespace kernelopt::worker
