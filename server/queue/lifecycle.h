// What may happen to a job, and what becomes of it: pure decisions.
//
// No clock, no I/O. The store applies a Change in one transaction; dispatch
// and api ask here and never set a state themselves. The picture of the states
// is in job.proto.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "kernelopt/v1/job.pb.h"

namespace kernelopt::server {

// What a decision needs to know of a job.
struct JobFacts {
  v1::JobState state = v1::JOB_STATE_UNSPECIFIED;
  int attempt = 0;
  int64_t epoch = 0;
  bool cancel_requested = false;
  int recalls = 0;  // of the attempts, how many were given up for others
};

// What is to be written. `to` equal to the present state changes no state.
struct Change {
  v1::JobState to = v1::JOB_STATE_UNSPECIFIED;
  std::string reason, message;
  std::string attempt_end;  // end_reason of the current attempt; empty: it goes on
  bool request_cancel = false;
};

// Why a lease ended without a result.
enum class LeaseEnd {
  kExpired,       // no heartbeat for lease_seconds
  kWorkerLost,    // another instance attached for the device
  kHostRebooted,  // the lease is of another boot
  kWorkerError,   // the worker said it could not do the work
  kCancelled,     // stopped after CancelJob
  kRunTimeout,    // longer than limits.run
  kNoProgress,    // nothing heard for limits.no_progress
  kRecalled,      // given back before its turn, for a job of a higher class
};

// Leases a job gets before the system gives up on it; recalled ones do not count.
inline constexpr int kMaxAttempts = 3;
// How often one job gives way to higher classes.
inline constexpr int kMaxRecalls = 3;

bool IsTerminal(v1::JobState state);
bool HasLease(v1::JobState state);

// FAILED_PRECONDITION JOB_ENDED when it ended otherwise before. A cancelled
// job answers with no change.
absl::StatusOr<Change> DecideCancel(const JobFacts& job);
// FAILED_PRECONDITION WRONG_STATE when it is not waiting.
absl::StatusOr<Change> DecideHold(const JobFacts& job);
absl::StatusOr<Change> DecideRelease(const JobFacts& job);

// The turn on the device began. FAILED_PRECONDITION LEASE_LOST for another
// epoch or a job without lease.
absl::StatusOr<Change> DecideTurn(const JobFacts& job, int64_t epoch);
// A result came. Refused like DecideTurn. It wins over a cancellation that the
// worker has not confirmed yet.
absl::StatusOr<Change> DecideResult(const JobFacts& job, int64_t epoch);
// The lease ended without a result: another attempt, or the end. `message` is
// what the worker said, if anything.
absl::StatusOr<Change> DecideLeaseEnd(const JobFacts& job, int64_t epoch, LeaseEnd why,
                                      const std::string& message);
// It waited longer than limits.queue.
Change DecideExpire();
// The job it waits for has ended, and not as wanted.
Change DecideDependencyFailed(const std::string& job);

// Name of a state without its prefix, as stored and shown: `QUEUED`.
std::string StateName(v1::JobState state);
v1::JobState StateFromName(const std::string& name);

}  // namespace kernelopt::server
