// What each user has used and may use: the tables account and quota.
//
// Every function runs inside Database::Write or Database::Read work; see
// store/jobs.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernelopt/v1/system_service.pb.h"
#include "queue/fair_share.h"
#include "queue/quota.h"

namespace SQLite {
class Database;
}

namespace kernelopt::server {

struct Account {
  int64_t usage_us = 0, usage_at_us = 0;
  int64_t day = 0, day_turn_us = 0;
  Bucket submissions;
  int64_t blob_bytes = 0, log_bytes = 0;

  int64_t TurnUsToday(int64_t now_us) const { return day == DayOf(now_us) ? day_turn_us : 0; }
};
// All zero for a user without one.
Account LoadAccount(SQLite::Database& db, uint32_t uid);

// The limits in force: the user's own over `defaults`.
v1::Quota LimitsOf(SQLite::Database& db, uint32_t uid, const v1::Quota& defaults);
void SetLimit(SQLite::Database& db, uint32_t uid, const std::string& name, int64_t value);
void ResetLimit(SQLite::Database& db, uint32_t uid, const std::string& name);

// Counts one submission. RESOURCE_EXHAUSTED SUBMISSIONS_LIMIT with the time to
// wait.
absl::Status CountSubmission(SQLite::Database& db, uint32_t uid, int64_t per_minute,
                             int64_t now_us);
// A turn of `turn_us` has ended.
void ChargeTurn(SQLite::Database& db, uint32_t uid, int64_t turn_us, int64_t half_life_us,
                int64_t now_us);
void AddLogBytes(SQLite::Database& db, uint32_t uid, int64_t bytes);

// Limits and usage of one user, for people.
v1::GetQuotaResponse DescribeQuota(SQLite::Database& db, uint32_t uid, const QueuePolicy& policy,
                                   int64_t now_us);
// Of all with an account or a limit; see ListQuotas in system_service.proto.
absl::StatusOr<v1::ListQuotasResponse> DescribeQuotas(SQLite::Database& db,
                                                      const v1::ListQuotasRequest& request,
                                                      const QueuePolicy& policy, int64_t now_us);

// Jobs not yet ended, counted to `most` at most.
int64_t CountLiveJobs(SQLite::Database& db, uint32_t uid, int64_t most = INT64_MAX);

}  // namespace kernelopt::server
