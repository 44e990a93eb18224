// Limits of a user: names, defaults, the arithmetic. Pure.
//
// To add a limit: a field in Quota (system_service.proto), a line in
// KOPT_QUOTAS, a setting limits.NAME, and the place that asks for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernelopt/v1/system_service.pb.h"

namespace kernelopt::server {

#define KOPT_QUOTAS(X)                                                      \
  X(queued_jobs) X(running_jobs) X(turn_seconds_per_day) X(blob_bytes)      \
  X(log_bytes) X(submissions_per_minute) X(share_percent)

// Names of the fields of Quota.
std::vector<std::string> QuotaNames();
// False: no limit of that name.
bool SetQuotaField(v1::Quota& quota, std::string_view name, int64_t value);

// Submissions leak out of a bucket at `per_minute`; a new one adds 1 and must
// not make it overflow. 0: no limit.
struct Bucket {
  double level = 0;
  int64_t at_us = 0;  // wall
};
// The bucket as it is now. A clock that was set back (or forward) empties it: it
// must not keep anybody out until it is caught up with.
Bucket Leaked(const Bucket& bucket, int64_t per_minute, int64_t now_us);
// Seconds until one more fits; 0: now.
double SecondsUntilRoom(const Bucket& now, int64_t per_minute);

// Days since 1970, UTC.
constexpr int64_t kDayUs = int64_t{86'400} * 1'000'000;
constexpr int64_t DayOf(int64_t wall_us) { return wall_us / kDayUs; }

}  // namespace kernelopt::server
