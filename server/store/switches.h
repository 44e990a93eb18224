// Switches of the whole daemon and the audit trail.
//
// Every function runs inside Database::Write or Database::Read work; see
// store/jobs.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "kernelopt/v1/system_service.pb.h"

namespace SQLite {
class Database;
}

namespace kernelopt::server {

// Why the queue is paused, or none.
std::optional<std::string> PauseReason(SQLite::Database& db);
void SetPause(SQLite::Database& db, const std::optional<std::string>& reason);

// Jobs per state, from the counter table.
std::vector<v1::StateCount> JobCounts(SQLite::Database& db);

void AddAudit(SQLite::Database& db, int64_t now_us, uint32_t uid, const std::string& action,
              const std::string& target, const std::string& detail);
// INVALID_ARGUMENT BAD_REQUEST.
absl::Status ListAudit(SQLite::Database& db, const v1::ListAuditEventsRequest& request,
                       v1::ListAuditEventsResponse& response);

}  // namespace kernelopt::server
