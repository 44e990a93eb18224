#include "queue/quota.h"

#include <algorithm>

namespace kernelopt::server {

std::vector<std::string> QuotaNames() {
#define KOPT_QUOTA_NAME(name) #name,
  return {KOPT_QUOTAS(KOPT_QUOTA_NAME)};
#undef KOPT_QUOTA_NAME
}

bool SetQuotaField(v1::Quota& quota, std::string_view name, int64_t value) {
#define KOPT_QUOTA_SET(field) \
  if (name == #field) {       \
    quota.set_##field(value); \
    return true;              \
  }
  KOPT_QUOTAS(KOPT_QUOTA_SET)
#undef KOPT_QUOTA_SET
  return false;
}

Bucket Leaked(const Bucket& bucket, int64_t per_minute, int64_t now_us) {
  constexpr int64_t kSlackUs = 1'000'000;  // commits are a little out of order
  if (now_us < bucket.at_us - kSlackUs) return {0, now_us};
  const double elapsed_us = static_cast<double>(std::max<int64_t>(0, now_us - bucket.at_us));
  const double leaked = elapsed_us * static_cast<double>(per_minute) / 60e6;
  return {std::max(0.0, bucket.level - leaked), now_us};
}

double SecondsUntilRoom(const Bucket& now, int64_t per_minute) {
  if (per_minute <= 0) return 0;
  const double over = now.level + 1 - static_cast<double>(per_minute);
  return over <= 0 ? 0 : over * 60 / static_cast<double>(per_minute);
}

}  // namespace kernelopt::server
