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
#include "support/clock.h"

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
  int64_t lease_boot_us = 0, turn_boot_us = 0, cancel_us = 0;
  int64_t not_before_us = 0, log_bytes = 0;
  int unmet = 0;  // dependencies that have not ended
};

struct NewJob {
  std::string public_id;
  uint32_t owner_uid = 0;
  v1::JobSpec spec;
  std::string request_id, request_digest, retry_of;
  int64_t now_us = 0, queue_us = 0;  // created; how long it may wait for a device
};

// Inserts the row, pins its blobs, writes the first event. Its id.
int64_t InsertJob(SQLite::Database& db, const NewJob& job);

enum class With { kRow, kAttempts };
absl::StatusOr<JobRow> LoadJob(SQLite::Database& db, const std::string& public_id,
                               With with = With::kRow);
// The same by internal id, which the caller has from a row.
JobRow LoadJobById(SQLite::Database& db, int64_t id);
// NOT_FOUND JOB_NOT_FOUND.
absl::Status NoSuchJob(const std::string& public_id);
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
// A search looks only at jobs of `owner`, unless that is not set.
absl::StatusOr<JobPage> ListJobRows(SQLite::Database& db, const v1::ListJobsRequest& request,
                                    uint32_t caller_uid,
                                    std::optional<uint32_t> owner = std::nullopt);

// Applies a decision: row, attempt, event, and whoever waited for the job where
// it ends; returns the new revision. A change that changes nothing writes
// nothing. `uid`: who asked for it, if anybody.
int64_t ApplyChange(SQLite::Database& db, const JobRow& row, const Change& change,
                    support::Instant now, std::optional<uint32_t> uid = std::nullopt);
// ApplyChange without those who wait.
int64_t WriteChange(SQLite::Database& db, const JobRow& row, const Change& change,
                    support::Instant now, std::optional<uint32_t> uid = std::nullopt);
// Gives a claimable job to a worker: row, new attempt, event. See ClaimNext.
void LeaseJob(SQLite::Database& db, int64_t id, const std::string& worker,
              const std::string& boot_id, support::Instant now);
// Result, state and event in one. See InsertResult.
void StoreResult(SQLite::Database& db, const JobRow& row, const Change& change,
                 const v1::JobResult& result, support::Instant now);
absl::StatusOr<v1::JobResult> LoadResult(SQLite::Database& db, const JobRow& row);

// Internal ids of all queued and held jobs of `device` (of all when empty),
// oldest first.
std::vector<int64_t> WaitingJobs(SQLite::Database& db, const std::string& device);

// Public ids of waiting jobs past their queue deadline.
std::vector<std::string> OverdueJobs(SQLite::Database& db, int64_t now_us);
// The wall clock jumped by so much: deadlines of waiting jobs move with it.
void ShiftDeadlines(SQLite::Database& db, int64_t by_us);
// One row of event.
struct JobEvent {
  std::string public_id;
  v1::JobState state;
  std::string reason;
};
// The events after `seq`, which moves on to the newest.
std::vector<JobEvent> EventsSince(SQLite::Database& db, int64_t& seq);
int64_t NewestEvent(SQLite::Database& db);


}  // namespace kernelopt::server
