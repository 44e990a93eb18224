// Jobs that wait for other jobs, and for their time.
//
// Every function runs inside Database::Write or Database::Read work; see
// store/jobs.h.
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "kernelopt/v1/job.pb.h"
#include "support/clock.h"

namespace SQLite {
class Database;
}

namespace kernelopt::server {

// Writes the dependencies of a job that is being created; the number of those
// not yet ended goes into its row. NOT_FOUND JOB_NOT_FOUND: not there, or not
// `uid`'s. FAILED_PRECONDITION DEPENDENCY_FAILED: it has ended, and not as wanted.
absl::Status InsertDependencies(SQLite::Database& db, int64_t job_id, const v1::JobSpec& spec,
                                uint32_t uid);

// Job `id` has just ended: whoever waited for it goes on, or is cancelled, and
// so on down the chain.
void SettleDependents(SQLite::Database& db, int64_t id, support::Instant now);

// Jobs whose time has come wait for a device from now on.
void ReleaseDue(SQLite::Database& db, support::Instant now);

// The first dependency a job still waits for, `jobs/{id}`.
struct Unmet {
  std::string job;
  v1::DependencyCondition condition;
};
std::optional<Unmet> FirstUnmet(SQLite::Database& db, int64_t job_id);

}  // namespace kernelopt::server
