// When a lease has to be stopped or given up: pure decisions over times.
#pragma once

#include <cstdint>
#include <optional>

#include "queue/lifecycle.h"

namespace kernelopt::server {

// The live side of one lease. Times are CLOCK_BOOTTIME microseconds.
struct LeaseTimes {
  int64_t leased_us = 0;
  int64_t heard_us = 0;     // last heartbeat or message
  int64_t progress_us = 0;  // last progress
  int64_t run_limit_us = 0, no_progress_limit_us = 0;
  // Set once the worker was told to stop, and why.
  std::optional<LeaseEnd> stopping;
  int64_t stop_asked_us = 0;
  bool cancel_requested = false;
  bool result_waits = false;  // it has come, the store could not take it yet
  bool recalled = false;  // wanted back for a job of a higher class

  // Too late for a recall: the worker goes on.
  void TurnBegun() {
    recalled = false;
    if (stopping == LeaseEnd::kRecalled) stopping.reset();
  }
};

struct LeaseTerms {
  int64_t lease_us = 30'000'000;
  int64_t grace_us = 10'000'000;  // from stop asked to lease given up
};

struct LeaseStep {
  enum class Do { kNothing, kAskToStop, kGiveUp };
  Do what = Do::kNothing;
  LeaseEnd why = LeaseEnd::kExpired;
};

// What to do about a lease now.
LeaseStep DecideLease(const LeaseTimes& times, const LeaseTerms& terms, int64_t now_us);

}  // namespace kernelopt::server
