// The small tables: blobs, devices, switches, quotas, audit.
//
// Every function runs inside Database::Write or Database::Read work; see
// store/jobs.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernelopt/v1/device_service.pb.h"
#include "kernelopt/v1/system_service.pb.h"

namespace SQLite {
class Database;
}

namespace kernelopt::server {

// The bytes of `digest` are durable; `uid` wrote them.
void AddBlob(SQLite::Database& db, const std::string& digest, int64_t size, uint32_t uid,
             int64_t now_us);
// `uid` wrote this blob and it is still there.
bool OwnsBlob(SQLite::Database& db, const std::string& digest, uint32_t uid);
// The job names this blob.
bool JobNamesBlob(SQLite::Database& db, const std::string& public_id, const std::string& digest);
// Forgets blobs no job names, untouched since `before_us`; returns them. Their
// files are to be removed after the commit.
std::vector<std::string> DropStaleBlobs(SQLite::Database& db, int64_t before_us);

// Remembers what a worker said of its device.
void PutDevice(SQLite::Database& db, const v1::Device& device, int64_t now_us);
// Without online and current_job, which only dispatch knows. Names are full.
std::vector<v1::Device> LoadDevices(SQLite::Database& db);
// NOT_FOUND DEVICE_NOT_FOUND.
absl::StatusOr<v1::Device> LoadDevice(SQLite::Database& db, const std::string& name);
// NOT_FOUND DEVICE_NOT_FOUND. An empty reason resumes.
absl::Status SetDrained(SQLite::Database& db, const std::string& name, bool drained,
                        const std::string& reason, uint32_t uid);

// Why the queue is paused, or none.
std::optional<std::string> PauseReason(SQLite::Database& db);
void SetPause(SQLite::Database& db, const std::optional<std::string>& reason);

// The limit set for a user, or none.
std::optional<int64_t> QueuedJobsLimit(SQLite::Database& db, uint32_t uid);
void SetQueuedJobsLimit(SQLite::Database& db, uint32_t uid, int64_t limit);

std::vector<v1::StateCount> JobCounts(SQLite::Database& db);

void AddAudit(SQLite::Database& db, int64_t now_us, uint32_t uid, const std::string& action,
              const std::string& target, const std::string& detail);
absl::Status ListAudit(SQLite::Database& db, const v1::ListAuditEventsRequest& request,
                       v1::ListAuditEventsResponse& response);

}  // namespace kernelopt::server
