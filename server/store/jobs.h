// Rows of job, attempt, result and event.
//
// Every function runs inside Database::Write or Database::Read work and throws
// what SQLiteCpp throws (Database turns it into a Status). NOT_FOUND
// JOB_NOT_FOUND where a job is asked for that is not there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernelopt/v1/job.pb.h"
#include "kernelopt/v1/job_service.pb.h"
#include "queue/lifecycle.h"

namespace SQLite {
class Database;
}

namespace kernelopt::server {

// A job with what only the server needs to know of it.
struct JobRow {
  int64_t id = 0;
  v1::Job job;  // without progress; attempts only when asked for
  JobFacts facts;
  std::string worker, boot_id;
  int64_t lease_boot_us = 0, cancel_us = 0;
};

struct NewJob {
  std::string public_id;
  uint32_t owner_uid = 0;
  v1::JobSpec spec;
  std::string request_id, request_digest, retry_of;
  int64_t now_us = 0, queue_deadline_us = 0;
};

// Inserts the row, pins its blobs, writes the first event.
void InsertJob(SQLite::Database& db, const NewJob& job);

enum class With { kRow, kAttempts };
absl::StatusOr<JobRow> LoadJob(SQLite::Database& db, const std::string& public_id,
                               With with = With::kRow);
// The job of an earlier CreateJob with this request id, and its digest.
struct EarlierRequest {
  std::string public_id, request_digest;
};
std::optional<EarlierRequest> FindRequest(SQLite::Database& db, uint32_t uid,
                                          const std::string& request_id);

struct JobPage {
  std::vector<v1::Job> jobs;
  std::string next_page_token;
};
absl::StatusOr<JobPage> ListJobRows(SQLite::Database& db, const v1::ListJobsRequest& request,
                                    uint32_t caller_uid);

// Applies a decision: row, attempt, event; returns the new revision. A change
// that changes nothing writes nothing.
int64_t ApplyChange(SQLite::Database& db, const JobRow& row, const Change& change, int64_t now_us);

// Who takes a job, and when.
struct Claim {
  std::string worker, boot_id, device;
  int64_t now_us = 0, now_boot_us = 0;
};
// Leases the next job of the device (priority class, then age) and starts a
// new attempt; none when nothing waits.
std::optional<JobRow> ClaimNext(SQLite::Database& db, const Claim& claim);

// Result, state and event in one. ALREADY_EXISTS cannot happen: a second
// result of a job is refused by DecideResult before, and by the table.
void InsertResult(SQLite::Database& db, const JobRow& row, const Change& change,
                  const v1::JobResult& result, int64_t now_us);
absl::StatusOr<v1::JobResult> LoadResult(SQLite::Database& db, const JobRow& row);

// Public ids of all jobs that hold a lease (on `device`, or on any when empty).
std::vector<std::string> LeasedJobs(SQLite::Database& db, const std::string& device);
// Public ids of waiting jobs past their queue deadline.
std::vector<std::string> OverdueJobs(SQLite::Database& db, int64_t now_us);

int64_t CountLiveJobs(SQLite::Database& db, uint32_t uid);
// Jobs of the device that would be claimed before this one, and the first.
struct Ahead {
  int64_t jobs = 0;
  std::string first;
};
Ahead JobsAhead(SQLite::Database& db, const JobRow& row);

// One line of the result, for lists.
v1::ResultSummary Summarize(const v1::JobResult& result);

}  // namespace kernelopt::server
