#include "judge/summary.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kernelopt::worker {
namespace {

void AddWorkload(v1::JobResult& result, const std::string& name, double weight, double candidate_us,
                 double speedup, double half, v1::Verdict verdict = v1::VERDICT_CORRECT) {
  v1::WorkloadResult& w = *result.add_workloads();
  w.set_name(name);
  w.set_weight(weight);
  v1::SubjectResult& subject = *w.add_subjects();
  subject.set_id("c");
  subject.set_verdict(verdict);
  if (verdict != v1::VERDICT_CORRECT) subject.set_message("wrong there");
  subject.mutable_timing()->set_median_us(candidate_us);
  subject.mutable_timing()->set_stability(v1::STABILITY_STABLE);
  subject.mutable_timing()->set_witness(v1::WITNESS_WITNESSED);
  v1::Comparison& c = *w.add_comparisons();
  c.set_speedup(speedup);
  c.set_speedup_low(speedup / std::exp(half));
  c.set_speedup_high(speedup * std::exp(half));
  c.set_outcome(speedup > 1.02 ? v1::OUTCOME_FASTER : v1::OUTCOME_SAME);
  c.set_blocks(20);
  c.set_alpha(0.005);
  c.set_noise_floor(0.01);
}

TEST(Summary, TimesAndSpeedupsAreWeightedGeometricMeans) {
  v1::JobResult result;
  AddWorkload(result, "small", 1, 10, 1.0, 0.001);
  AddWorkload(result, "large", 3, 160, 16.0, 0.001);
  SummariseWorkloads({}, result);
  EXPECT_NEAR(result.subjects(0).timing().median_us(), 80, 1e-9);
  EXPECT_NEAR(result.comparisons(0).speedup(), 8, 1e-9);
  EXPECT_EQ(result.comparisons(0).outcome(), v1::OUTCOME_FASTER);
  const double half = std::log(result.comparisons(0).speedup_high() / result.comparisons(0).speedup());
  EXPECT_NEAR(half, std::sqrt(1 + 9) * 0.001 / 4, 1e-9);
}

TEST(Summary, TheWorstVerdictStandsAndSaysWhere) {
  v1::JobResult result;
  AddWorkload(result, "small", 1, 10, 1, 0.001);
  AddWorkload(result, "large", 1, 10, 1, 0.001, v1::VERDICT_INCORRECT);
  SummariseWorkloads({}, result);
  EXPECT_EQ(result.subjects(0).verdict(), v1::VERDICT_INCORRECT);
  EXPECT_EQ(result.subjects(0).message(), "workload large: wrong there");
}

// Bug: nothing said so where there were no baselines.
TEST(Summary, ASuspectWorkloadMakesTheSumSuspect) {
  v1::JobResult result;
  AddWorkload(result, "small", 1, 10, 1, 0.001);
  AddWorkload(result, "large", 1, 10, 1, 0.001);
  result.mutable_workloads(0)->mutable_subjects(0)->mutable_timing()->set_suspect(true);
  SummariseWorkloads({}, result);
  EXPECT_TRUE(result.subjects(0).timing().suspect());
}

// Bug: a workload whose FASTER was withheld made the sum FASTER by its interval.
TEST(Summary, WhatWasWithheldInOneWorkloadIsWithheldInTheSum) {
  v1::JobResult result;
  AddWorkload(result, "small", 1, 10, 2, 0.001);
  v1::Comparison& c = *result.mutable_workloads(0)->mutable_comparisons(0);
  c.set_outcome(v1::OUTCOME_INCONCLUSIVE);
  c.set_message("SUSPECT");
  SummariseWorkloads({}, result);
  EXPECT_EQ(result.comparisons(0).outcome(), v1::OUTCOME_INCONCLUSIVE);
  EXPECT_EQ(result.comparisons(0).message(), "workload small: SUSPECT");
}

// Bug: clocks that disagree were forgotten when workloads were summed up.
TEST(Summary, AnUnwitnessedWorkloadIsNeverFaster) {
  v1::JobResult result;
  AddWorkload(result, "small", 1, 10, 2, 0.001);
  v1::WorkloadResult& w = *result.mutable_workloads(0);
  w.mutable_subjects(0)->mutable_timing()->set_witness(v1::WITNESS_UNWITNESSED);
  w.mutable_comparisons(0)->set_candidate("c");
  w.mutable_comparisons(0)->set_outcome(v1::OUTCOME_INCONCLUSIVE);
  SummariseWorkloads({}, result);
  EXPECT_EQ(result.comparisons(0).outcome(), v1::OUTCOME_INCONCLUSIVE);
}

TEST(Summary, AWorkloadThatWasNotComparedLeavesItOpen) {
  v1::JobResult result;
  AddWorkload(result, "small", 1, 10, 2, 0.001);
  AddWorkload(result, "large", 1, 10, 2, 0.001);
  v1::Comparison& open = *result.mutable_workloads(1)->mutable_comparisons(0);
  open.set_outcome(v1::OUTCOME_INCONCLUSIVE);
  open.set_blocks(0);
  open.set_message("nothing to compare");
  SummariseWorkloads({}, result);
  EXPECT_EQ(result.comparisons(0).outcome(), v1::OUTCOME_INCONCLUSIVE);
  EXPECT_EQ(result.comparisons(0).message(), "workload large: nothing to compare");
}

}  // namespace
}  // namespace kernelopt::worker
