// Takes a new job in: limits, request ids, blobs. Runs in the writer's
// transaction, so that what it checked is still true when the row commits.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "kernelopt/v1/job.pb.h"

namespace SQLite {
class Database;
}

namespace kernelopt::server {

struct Admission {
  uint32_t uid = 0;
  v1::JobSpec spec;  // checked, defaults filled in
  std::string request_id, request_digest, retry_of;
  int64_t now_us = 0;
  int64_t queued_jobs_limit = 0;  // configured; 0 for none
};

// The public id of the new job, or of the earlier one with this request id.
// ALREADY_EXISTS REQUEST_ID_REUSED, RESOURCE_EXHAUSTED QUEUED_JOBS_LIMIT,
// FAILED_PRECONDITION BLOB_MISSING.
absl::StatusOr<std::string> Admit(SQLite::Database& db, const Admission& admission);

}  // namespace kernelopt::server
