#include "queue/lifecycle.h"

#include <gtest/gtest.h>

#include <random>

#include "queue/lease_watch.h"
#include "support/status.h"

namespace kernelopt::server {
namespace {

JobFacts In(v1::JobState state, int attempt = 1, int64_t epoch = 1, bool cancel = false) {
  return {state, attempt, epoch, cancel};
}

const std::vector<v1::JobState> kEnded = {v1::JOB_STATE_SUCCEEDED, v1::JOB_STATE_FAILED, v1::JOB_STATE_CANCELLED,
                                          v1::JOB_STATE_TIMED_OUT, v1::JOB_STATE_EXPIRED};

TEST(Lifecycle, AWaitingJobIsCancelledAtOnceALeasedOneIsAskedToStop) {
  EXPECT_EQ(DecideCancel(In(v1::JOB_STATE_QUEUED))->to, v1::JOB_STATE_CANCELLED);
  EXPECT_EQ(DecideCancel(In(v1::JOB_STATE_HELD))->to, v1::JOB_STATE_CANCELLED);
  const auto running = DecideCancel(In(v1::JOB_STATE_RUNNING));
  EXPECT_EQ(running->to, v1::JOB_STATE_RUNNING);
  EXPECT_TRUE(running->request_cancel);
}

TEST(Lifecycle, CancellingTwiceIsFineCancellingAnEndedJobIsNot) {
  EXPECT_TRUE(DecideCancel(In(v1::JOB_STATE_CANCELLED)).ok());
  EXPECT_EQ(support::DetailOf(DecideCancel(In(v1::JOB_STATE_SUCCEEDED)).status()).reason(), "JOB_ENDED");
}

TEST(Lifecycle, HoldAndReleaseAreForWaitingJobs) {
  EXPECT_EQ(DecideHold(In(v1::JOB_STATE_QUEUED))->to, v1::JOB_STATE_HELD);
  EXPECT_EQ(DecideRelease(In(v1::JOB_STATE_HELD))->to, v1::JOB_STATE_QUEUED);
  EXPECT_FALSE(DecideHold(In(v1::JOB_STATE_RUNNING)).ok());
  EXPECT_FALSE(DecideRelease(In(v1::JOB_STATE_SUCCEEDED)).ok());
}

TEST(Lifecycle, ResultsOfAnotherEpochAreRefused) {
  for (const v1::JobState state : {v1::JOB_STATE_LEASED, v1::JOB_STATE_RUNNING}) {
    EXPECT_TRUE(DecideResult(In(state, 2, 5), 5).ok());
    for (const int64_t stale : {0, 1, 4, 6}) {
      EXPECT_EQ(support::DetailOf(DecideResult(In(state, 2, 5), stale).status()).reason(), "LEASE_LOST");
    }
  }
}

TEST(Lifecycle, EndedAndQueuedJobsTakeNoResultAndNoTurn) {
  std::vector<v1::JobState> others = kEnded;
  others.push_back(v1::JOB_STATE_QUEUED);
  others.push_back(v1::JOB_STATE_HELD);
  for (const v1::JobState state : others) {
    EXPECT_FALSE(DecideResult(In(state), 1).ok());
    EXPECT_FALSE(DecideTurn(In(state), 1).ok());
    EXPECT_FALSE(DecideLeaseEnd(In(state), 1, LeaseEnd::kExpired, "").ok());
  }
}

TEST(Lifecycle, ALostLeaseIsAnotherAttemptUntilTheyRunOut) {
  for (const LeaseEnd why : {LeaseEnd::kExpired, LeaseEnd::kWorkerLost, LeaseEnd::kHostRebooted, LeaseEnd::kWorkerError}) {
    EXPECT_EQ(DecideLeaseEnd(In(v1::JOB_STATE_RUNNING, kMaxAttempts - 1), 1, why, "")->to, v1::JOB_STATE_QUEUED);
    const auto last = DecideLeaseEnd(In(v1::JOB_STATE_RUNNING, kMaxAttempts), 1, why, "disk broke");
    EXPECT_EQ(last->to, v1::JOB_STATE_FAILED);
    EXPECT_NE(last->message.find("disk broke"), std::string::npos);
  }
}

TEST(Lifecycle, TimeoutsAndCancelsAreNotRetried) {
  EXPECT_EQ(DecideLeaseEnd(In(v1::JOB_STATE_RUNNING), 1, LeaseEnd::kRunTimeout, "")->to, v1::JOB_STATE_TIMED_OUT);
  EXPECT_EQ(DecideLeaseEnd(In(v1::JOB_STATE_RUNNING), 1, LeaseEnd::kNoProgress, "")->to, v1::JOB_STATE_TIMED_OUT);
  EXPECT_EQ(DecideLeaseEnd(In(v1::JOB_STATE_RUNNING, 1, 1, true), 1, LeaseEnd::kExpired, "")->to, v1::JOB_STATE_CANCELLED);
}

TEST(Lifecycle, WhateverHappensAJobEndsOnceAndStaysEnded) {
  std::mt19937 random(3);
  for (int run = 0; run < 2000; ++run) {
    JobFacts job = In(v1::JOB_STATE_QUEUED, 0, 0);
    int endings = 0;
    for (int step = 0; step < 40; ++step) {
      const bool ended_before = IsTerminal(job.state);
      absl::StatusOr<Change> change = absl::InternalError("none");
      switch (random() % 7) {
        case 0: change = DecideCancel(job); break;
        case 1: change = DecideHold(job); break;
        case 2: change = DecideRelease(job); break;
        case 3: change = DecideTurn(job, job.epoch); break;
        case 4: change = DecideResult(job, job.epoch - static_cast<int64_t>(random() % 2)); break;
        case 5: change = DecideLeaseEnd(job, job.epoch, static_cast<LeaseEnd>(random() % 7), ""); break;
        default:
          if (job.state == v1::JOB_STATE_QUEUED) {
            job.state = v1::JOB_STATE_LEASED;
            ++job.attempt;
            ++job.epoch;
          }
      }
      if (!change.ok()) continue;
      if (ended_before) {
        ASSERT_EQ(change->to, job.state);
      }
      job.state = change->to;
      job.cancel_requested |= change->request_cancel;
      if (IsTerminal(job.state) && !ended_before) ++endings;
    }
    ASSERT_LE(endings, 1);
    ASSERT_LE(job.attempt, kMaxAttempts);
  }
}

TEST(Lifecycle, StateNamesGoThereAndBack) {
  EXPECT_EQ(StateName(v1::JOB_STATE_TIMED_OUT), "TIMED_OUT");
  EXPECT_EQ(StateFromName("TIMED_OUT"), v1::JOB_STATE_TIMED_OUT);
}

LeaseTimes Fresh() {
  LeaseTimes t;
  t.run_limit_us = 100'000'000;
  t.no_progress_limit_us = 50'000'000;
  return t;
}

TEST(LeaseWatch, ALiveLeaseIsLeftAlone) {
  EXPECT_EQ(DecideLease(Fresh(), {}, 29'999'999).what, LeaseStep::Do::kNothing);
}

TEST(LeaseWatch, SilenceGivesItUp) {
  const LeaseStep step = DecideLease(Fresh(), {}, 30'000'000);
  EXPECT_EQ(step.what, LeaseStep::Do::kGiveUp);
  EXPECT_EQ(step.why, LeaseEnd::kExpired);
}

TEST(LeaseWatch, LimitsAskToStopFirstAndGiveUpAfterTheGrace) {
  LeaseTimes t = Fresh();
  t.heard_us = t.progress_us = 100'000'000;
  EXPECT_EQ(DecideLease(t, {}, 100'000'000).why, LeaseEnd::kRunTimeout);
  t.run_limit_us = 1'000'000'000;
  t.progress_us = 40'000'000;
  EXPECT_EQ(DecideLease(t, {}, 100'000'000).why, LeaseEnd::kNoProgress);
  t.stopping = LeaseEnd::kNoProgress;
  t.stop_asked_us = 100'000'000;
  EXPECT_EQ(DecideLease(t, {}, 109'999'999).what, LeaseStep::Do::kNothing);
  EXPECT_EQ(DecideLease(t, {}, 110'000'000).what, LeaseStep::Do::kGiveUp);
}

TEST(LeaseWatch, ACancelIsPassedOnOnce) {
  LeaseTimes t = Fresh();
  t.cancel_requested = true;
  EXPECT_EQ(DecideLease(t, {}, 1).what, LeaseStep::Do::kAskToStop);
  t.stopping = LeaseEnd::kCancelled;
  t.stop_asked_us = 1;
  EXPECT_EQ(DecideLease(t, {}, 2).what, LeaseStep::Do::kNothing);
}

}  // namespace
}  // namespace kernelopt::server
