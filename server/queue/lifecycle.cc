#include "queue/lifecycle.h"

#include "absl/strings/str_cat.h"
#include "support/status.h"

namespace kernelopt::server {
namespace {

using support::Reason;
using support::ReasonError;

absl::Status CheckLease(const JobFacts& job, int64_t epoch) {
  if (HasLease(job.state) && job.epoch == epoch) return absl::OkStatus();
  return ReasonError(absl::StatusCode::kFailedPrecondition, Reason::LEASE_LOST,
                     absl::StrCat("epoch ", epoch, " is no longer the lease of this job (state ",
                                  StateName(job.state), ", epoch ", job.epoch, ")"));
}

struct EndWords {
  const char* attempt_end;
  const char* message;
};

EndWords WordsOf(LeaseEnd why) {
  switch (why) {
    case LeaseEnd::kExpired:
      return {"LEASE_EXPIRED", "the worker was not heard of for a whole lease"};
    case LeaseEnd::kWorkerLost:
      return {"WORKER_LOST", "the worker died and another took its place"};
    case LeaseEnd::kHostRebooted:
      return {"HOST_REBOOTED", "the machine was restarted"};
    case LeaseEnd::kWorkerError:
      return {"WORKER_ERROR", "the worker could not do its work"};
    case LeaseEnd::kCancelled:
      return {"CANCELLED", "cancelled"};
    case LeaseEnd::kRunTimeout:
      return {"RUN_TIMEOUT", "ran longer than its run limit; raise it with --run-timeout"};
    case LeaseEnd::kNoProgress:
      return {"NO_PROGRESS", "the worker made no progress within the limit"};
    case LeaseEnd::kRecalled:
      return {"RECALLED", "gave way to a job of a higher class; it keeps its place"};
  }
  return {"LEASE_EXPIRED", ""};
}

}  // namespace

bool IsTerminal(v1::JobState state) { return state >= v1::JOB_STATE_SUCCEEDED; }

bool HasLease(v1::JobState state) {
  return state == v1::JOB_STATE_LEASED || state == v1::JOB_STATE_RUNNING;
}

std::string StateName(v1::JobState state) {
  const std::string name = v1::JobState_Name(state);  // empty for a number that is none
  return name.empty() ? "UNSPECIFIED" : name.substr(std::string("JOB_STATE_").size());
}

v1::JobState StateFromName(const std::string& name) {
  v1::JobState state = v1::JOB_STATE_UNSPECIFIED;
  v1::JobState_Parse(absl::StrCat("JOB_STATE_", name), &state);
  return state;
}

absl::StatusOr<Change> DecideCancel(const JobFacts& job) {
  if (job.state == v1::JOB_STATE_CANCELLED) return Change{.to = job.state};
  if (IsTerminal(job.state)) {
    return ReasonError(absl::StatusCode::kFailedPrecondition, Reason::JOB_ENDED,
                       absl::StrCat("the job has already ended: ", StateName(job.state)));
  }
  if (HasLease(job.state)) return Change{.to = job.state, .request_cancel = true};
  return Change{.to = v1::JOB_STATE_CANCELLED, .reason = "CANCELLED", .message = "cancelled"};
}

absl::StatusOr<Change> DecideHold(const JobFacts& job) {
  if (job.state == v1::JOB_STATE_QUEUED || job.state == v1::JOB_STATE_HELD) {
    return Change{.to = v1::JOB_STATE_HELD};
  }
  return ReasonError(absl::StatusCode::kFailedPrecondition, Reason::WRONG_STATE,
                     absl::StrCat("only a queued job can be held; this one is ",
                                  StateName(job.state)));
}

absl::StatusOr<Change> DecideRelease(const JobFacts& job) {
  if (job.state == v1::JOB_STATE_QUEUED || job.state == v1::JOB_STATE_HELD) {
    return Change{.to = v1::JOB_STATE_QUEUED};
  }
  return ReasonError(absl::StatusCode::kFailedPrecondition, Reason::WRONG_STATE,
                     absl::StrCat("only a held job can be released; this one is ",
                                  StateName(job.state)));
}

absl::StatusOr<Change> DecideTurn(const JobFacts& job, int64_t epoch) {
  if (absl::Status s = CheckLease(job, epoch); !s.ok()) return s;
  return Change{.to = v1::JOB_STATE_RUNNING};
}

absl::StatusOr<Change> DecideResult(const JobFacts& job, int64_t epoch) {
  if (absl::Status s = CheckLease(job, epoch); !s.ok()) return s;
  return Change{.to = v1::JOB_STATE_SUCCEEDED, .attempt_end = "RESULT"};
}

absl::StatusOr<Change> DecideLeaseEnd(const JobFacts& job, int64_t epoch, LeaseEnd why,
                                      const std::string& message) {
  if (absl::Status s = CheckLease(job, epoch); !s.ok()) return s;
  const EndWords words = WordsOf(why);
  Change change{.reason = words.attempt_end,
                .message = message.empty() ? words.message : message,
                .attempt_end = words.attempt_end};
  if (job.cancel_requested || why == LeaseEnd::kCancelled) {
    change.to = v1::JOB_STATE_CANCELLED;
    change.reason = "CANCELLED";
    change.message = "cancelled";
  } else if (why == LeaseEnd::kRunTimeout || why == LeaseEnd::kNoProgress) {
    change.to = v1::JOB_STATE_TIMED_OUT;
  } else if (why == LeaseEnd::kRecalled || job.attempt - job.recalls < kMaxAttempts) {
    change.to = v1::JOB_STATE_QUEUED;
  } else {
    change.to = v1::JOB_STATE_FAILED;
    change.message = absl::StrCat(change.message, " (attempt ", job.attempt, " of ", kMaxAttempts,
                                  "; submit again with `koptctl retry`)");
  }
  return change;
}

Change DecideExpire() {
  return Change{.to = v1::JOB_STATE_EXPIRED,
                .reason = "QUEUE_TIMEOUT",
                .message = "waited longer than its queue limit; raise it with --queue-timeout"};
}

Change DecideDependencyFailed(const std::string& job) {
  return Change{.to = v1::JOB_STATE_CANCELLED,
                .reason = "DEPENDENCY_FAILED",
                .message = absl::StrCat("it waited for ", job, ", which did not end CORRECT")};
}

}  // namespace kernelopt::server
