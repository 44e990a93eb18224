#include "judge/comparisons.h"

#include <gtest/gtest.h>

namespace kernelopt::worker {
namespace {

constexpr int kRounds = 100;

// A candidate and a baseline on a GPU, both CORRECT.
class Comparisons : public testing::Test {
 protected:
  Comparisons() {
    options_.assumed = {.floor = 0.003, .process_sd = 0.001};
    options_.table = &table_;
    for (const v1::Role role : {v1::ROLE_CANDIDATE, v1::ROLE_BASELINE}) {
      v1::SubjectSpec spec;
      spec.set_role(role);
      spec.mutable_solution()->add_files()->set_path("kernel.cu");
      subjects_.push_back(std::make_unique<Subject>(spec));
      subjects_.back()->Condemn({v1::VERDICT_CORRECT, "", "", {}});
      v1::Timing& timing = *subjects_.back()->record().mutable_timing();
      timing.set_witness(v1::WITNESS_WITNESSED);
    }
    rounds_.samples.resize(2);
    rounds_.pair_ratios.resize(2);
  }

  v1::Timing& timing(size_t subject) { return *subjects_[subject]->record().mutable_timing(); }

  // Every call of the two takes so long, give or take a little.
  void Calls(double candidate_us, double baseline_us) {
    for (int i = 0; i < kRounds; ++i) {
      const double jitter = 1 + 0.001 * (i % 5);
      rounds_.samples[0].push_back({.called = true, .time_us = candidate_us * jitter});
      rounds_.samples[1].push_back({.called = true, .time_us = baseline_us * jitter});
    }
  }

  // And these are the medians that the result shows.
  void Medians(double candidate_us, double baseline_us) {
    Calls(candidate_us, baseline_us);
    timing(0).set_median_us(candidate_us);
    timing(1).set_median_us(baseline_us);
  }

  void Batches(double candidate_us, double baseline_us, bool launch_bound) {
    timing(0).set_back_to_back_us(candidate_us);
    timing(1).set_back_to_back_us(baseline_us);
    for (const size_t i : {size_t{0}, size_t{1}}) timing(i).set_batch_calls(64);
    timing(0).set_launch_bound(launch_bound);
  }

  v1::Comparison Compared() {
    v1::WorkloadResult result;
    RecordComparisons(rounds_, options_, subjects_, result);
    return result.comparisons(0);
  }

  NoiseTable table_;
  CompareOptions options_;
  TimedRounds rounds_;
  Subjects subjects_;
};

TEST_F(Comparisons, ColdCallsDecideWhereTheDeviceIsTheLimit) {
  Calls(50, 100);
  Batches(50, 100, false);
  EXPECT_EQ(Compared().outcome(), v1::OUTCOME_FASTER);
  EXPECT_NEAR(Compared().speedup(), 2, 1e-6);
  EXPECT_EQ(Compared().process_pairs(), 1);
}

// A kernel of 3 us that a thread computed while the GPU changed hands: nothing
// between its events, and a batch that the CPU limits accuses nobody.
TEST_F(Comparisons, HiddenWorkOfALaunchBoundCandidateWinsNothing) {
  Calls(2.24, 3.84);
  Batches(2.9, 3.1, true);
  EXPECT_EQ(Compared().outcome(), v1::OUTCOME_INCONCLUSIVE);
}

TEST_F(Comparisons, NorDoesThatOfOneWhoseBatchTheDeviceLimits) {
  Medians(2.91, 5.60);
  Batches(2.55, 3.29, false);
  EXPECT_EQ(Compared().outcome(), v1::OUTCOME_INCONCLUSIVE);
  EXPECT_NE(Compared().message().find("behind each other"), std::string::npos);
}

TEST_F(Comparisons, AHonestGainOfAMicrosecondShowsBackToBack) {
  Medians(101.6, 102.6);
  Batches(100.9, 101.8, false);
  EXPECT_EQ(Compared().outcome(), v1::OUTCOME_FASTER);
}

TEST_F(Comparisons, MoreThanACallCanHideNeedsNoProof) {
  Medians(20, 25.1);
  Batches(24, 24, false);
  EXPECT_EQ(Compared().outcome(), v1::OUTCOME_FASTER);
}

// Bug: a third of the work on a private stream gained 6 us: more than the events can miss, but not more than that and the witness' band.
TEST_F(Comparisons, WhatTheBandLetsPassIsHiddenBesideWhatTheEventsMiss) {
  Medians(53, 59);
  Batches(59.4, 59.4, false);
  rounds_.candidate_band_us = 7;
  EXPECT_EQ(Compared().outcome(), v1::OUTCOME_INCONCLUSIVE);
}

// Calls that are not ordered behind each other overlap in a batch.
TEST_F(Comparisons, AGainThatCouldBeHiddenIsAsMuchAsShowsBackToBack) {
  Medians(53, 60);
  rounds_.candidate_band_us = 7;
  Batches(56, 60, false);
  EXPECT_EQ(Compared().outcome(), v1::OUTCOME_INCONCLUSIVE) << "4 us of 7";
  Batches(54.5, 60, false);
  EXPECT_EQ(Compared().outcome(), v1::OUTCOME_FASTER);
  EXPECT_NEAR(Compared().speedup(), 60.3 / 54.5, 1e-6);
  EXPECT_LE(Compared().speedup_low(), Compared().speedup());
}

// Two calls of five keep 25 us from their events, within the witness' band: no median
// shows it, and the ratio is 1.15.
TEST_F(Comparisons, CallsThatHideSomethingNowAndThenWinNothing) {
  for (int i = 0; i < kRounds; ++i) {
    const double jitter = 1 + 0.001 * (i % 7);
    rounds_.samples[0].push_back({.called = true, .time_us = (i % 5 < 2 ? 75 : 100) * jitter});
    rounds_.samples[1].push_back({.called = true, .time_us = 100 * jitter});
  }
  timing(0).set_median_us(100);
  timing(1).set_median_us(100);
  Batches(100, 100, false);
  rounds_.candidate_band_us = 30;
  EXPECT_EQ(Compared().outcome(), v1::OUTCOME_INCONCLUSIVE);
  EXPECT_GT(Compared().speedup(), 1.1);
}

TEST_F(Comparisons, ALaunchBoundCandidateIsAsMuchFasterAsBackToBack) {
  Calls(2, 8);
  Batches(2, 4, true);
  EXPECT_EQ(Compared().outcome(), v1::OUTCOME_FASTER);
  EXPECT_NEAR(Compared().speedup(), 2, 1e-6);
  EXPECT_LE(Compared().speedup_low(), 2);
}

// Bug: a built-in baseline is one process however many the candidate has.
TEST(ProcessSd, HalfOfTheLuckOfABuiltinBaselineStays) {
  EXPECT_DOUBLE_EQ(ProcessSd(0.01, 1, 2), 0.01);
  EXPECT_DOUBLE_EQ(ProcessSd(0.01, 4, 2), 0.005);
  EXPECT_DOUBLE_EQ(ProcessSd(0.01, 1, 1), 0.01);
  EXPECT_NEAR(ProcessSd(0.01, 4, 1), 0.0079, 0.0001);
  EXPECT_DOUBLE_EQ(ProcessSd(0.01, 4, 0), 0.01);
}

TEST_F(Comparisons, SeveralProcessesHaveLessLuck) {
  Calls(100, 100.9);
  options_.process_noise_us = 0.3;
  EXPECT_NE(Compared().outcome(), v1::OUTCOME_FASTER);
  rounds_.process_begins = {0, 25, 50, 75};
  EXPECT_EQ(Compared().outcome(), v1::OUTCOME_FASTER);
  EXPECT_EQ(Compared().process_pairs(), 4);
}

TEST_F(Comparisons, ATimeBelowTheFloorIsNeverFaster) {
  Calls(50, 100);
  timing(0).set_median_us(50);
  timing(0).set_floor_us(80);
  timing(0).set_suspect(true);
  EXPECT_EQ(Compared().outcome(), v1::OUTCOME_INCONCLUSIVE);
  EXPECT_EQ(Compared().message().rfind("SUSPECT", 0), 0u);
  EXPECT_NE(Compared().message().find("sparse"), std::string::npos);
  timing(0).set_flops_floor_us(80);
  EXPECT_NE(Compared().message().find("flops()"), std::string::npos);
}

}  // namespace
}  // namespace kernelopt::worker
