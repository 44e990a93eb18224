// Takes a new job in: request ids, quotas, blobs, dependencies. Runs in the
// writer's transaction, so that what it checked is still true when the row
// commits.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "kernelopt/v1/job.pb.h"
#include "queue/fair_share.h"

namespace SQLite {
class Database;
}

namespace kernelopt::server {

struct Admission {
  uint32_t uid = 0;
  v1::JobSpec spec;  // checked, defaults filled in
  std::string request_id, request_digest, retry_of;
  int64_t now_us = 0;
};

// The public id of the new job, or of the earlier one with this request id.
// Errors as listed at CreateJob.
absl::StatusOr<std::string> Admit(SQLite::Database& db, const Admission& admission,
                                  const QueuePolicy& policy);

}  // namespace kernelopt::server
