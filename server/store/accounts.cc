#include "store/accounts.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "store/page.h"
#include "store/prepared.h"
#include "support/status.h"

namespace kernelopt::server {
namespace {

int64_t CountLeased(SQLite::Database& db, uint32_t uid) {
  SQLite::Statement s(db,
                      "SELECT count(*) FROM job INDEXED BY job_leased WHERE owner_uid = ? AND "
                      "state IN ('LEASED','RUNNING')");
  s.bind(1, static_cast<int64_t>(uid));
  s.executeStep();
  return s.getColumn(0).getInt64();
}

}  // namespace

Account LoadAccount(SQLite::Database& db, uint32_t uid) {
  SQLite::Statement s(db,
                      "SELECT usage_us, usage_at_us, day, day_turn_us, submissions, "
                      "submissions_us, blob_bytes, log_bytes FROM account WHERE uid = ?");
  s.bind(1, static_cast<int64_t>(uid));
  Account account;
  if (!s.executeStep()) return account;
  account.usage_us = s.getColumn(0).getInt64();
  account.usage_at_us = s.getColumn(1).getInt64();
  account.day = s.getColumn(2).getInt64();
  account.day_turn_us = s.getColumn(3).getInt64();
  account.submissions = {s.getColumn(4).getDouble(), s.getColumn(5).getInt64()};
  account.blob_bytes = s.getColumn(6).getInt64();
  account.log_bytes = s.getColumn(7).getInt64();
  return account;
}

v1::Quota LimitsOf(SQLite::Database& db, uint32_t uid, const v1::Quota& defaults) {
  v1::Quota limits = defaults;
  Prepared prepared(db, "SELECT name, value FROM quota WHERE uid = ?");
  SQLite::Statement& s = *prepared;
  s.bind(1, static_cast<int64_t>(uid));
  while (s.executeStep()) SetQuotaField(limits, s.getColumn(0).getText(), s.getColumn(1).getInt64());
  return limits;
}

void SetLimit(SQLite::Database& db, uint32_t uid, const std::string& name, int64_t value) {
  SQLite::Statement s(db, "INSERT OR REPLACE INTO quota (uid, name, value) VALUES (?, ?, ?)");
  s.bind(1, static_cast<int64_t>(uid));
  s.bind(2, name);
  s.bind(3, value);
  s.exec();
}

void ResetLimit(SQLite::Database& db, uint32_t uid, const std::string& name) {
  SQLite::Statement s(db, "DELETE FROM quota WHERE uid = ? AND name = ?");
  s.bind(1, static_cast<int64_t>(uid));
  s.bind(2, name);
  s.exec();
}

absl::Status CountSubmission(SQLite::Database& db, uint32_t uid, int64_t per_minute,
                             int64_t now_us) {
  if (per_minute <= 0) return absl::OkStatus();
  const Bucket now = Leaked(LoadAccount(db, uid).submissions, per_minute, now_us);
  const double wait_s = SecondsUntilRoom(now, per_minute);
  if (wait_s > 0) {
    return support::TryAgainIn(
        wait_s, support::Reason::SUBMISSIONS_LIMIT,
        absl::StrFormat("you may submit %d jobs a minute (limits.submissions_per_minute); the next "
                        "in %.1f s",
                        per_minute, wait_s),
        {{"limit", absl::StrCat(per_minute)}});
  }
  SQLite::Statement s(db,
                      "INSERT INTO account (uid, submissions, submissions_us) VALUES (?1, ?2, ?3) "
                      "ON CONFLICT (uid) DO UPDATE SET submissions = ?2, submissions_us = ?3");
  s.bind(1, static_cast<int64_t>(uid));
  s.bind(2, now.level + 1);
  s.bind(3, now_us);
  s.exec();
  return absl::OkStatus();
}

void ChargeTurn(SQLite::Database& db, uint32_t uid, int64_t turn_us, int64_t half_life_us,
                int64_t now_us) {
  const Account account = LoadAccount(db, uid);
  const double usage = Decayed(account.usage_us, now_us - account.usage_at_us, half_life_us);
  SQLite::Statement s(
      db,
      "INSERT INTO account (uid, usage_us, usage_at_us, day, day_turn_us) VALUES (?1, ?2, ?3, ?4, "
      "?5) ON CONFLICT (uid) DO UPDATE SET usage_us = ?2, usage_at_us = ?3, day = ?4, "
      "day_turn_us = ?5");
  s.bind(1, static_cast<int64_t>(uid));
  s.bind(2, static_cast<int64_t>(usage) + turn_us);
  s.bind(3, now_us);
  s.bind(4, DayOf(now_us));
  s.bind(5, account.TurnUsToday(now_us) + turn_us);
  s.exec();
}

void AddLogBytes(SQLite::Database& db, uint32_t uid, int64_t bytes) {
  SQLite::Statement s(db,
                      "INSERT INTO account (uid, log_bytes) VALUES (?1, max(0, ?2)) "
                      "ON CONFLICT (uid) DO UPDATE SET log_bytes = max(0, log_bytes + ?2)");
  s.bind(1, static_cast<int64_t>(uid));
  s.bind(2, bytes);
  s.exec();
}

v1::GetQuotaResponse DescribeQuota(SQLite::Database& db, uint32_t uid, const QueuePolicy& policy,
                                   int64_t now_us) {
  v1::GetQuotaResponse out;
  out.set_uid(uid);
  *out.mutable_limits() = LimitsOf(db, uid, policy.quota);
  SQLite::Statement own(db, "SELECT name FROM quota WHERE uid = ? ORDER BY name");
  own.bind(1, static_cast<int64_t>(uid));
  while (own.executeStep()) out.add_own_limits(own.getColumn(0).getText());
  const Account account = LoadAccount(db, uid);
  v1::QuotaUsage& used = *out.mutable_used();
  used.set_queued_jobs(CountLiveJobs(db, uid));
  used.set_running_jobs(CountLeased(db, uid));
  used.set_turn_seconds_today(static_cast<double>(account.TurnUsToday(now_us)) * 1e-6);
  used.set_blob_bytes(account.blob_bytes);
  used.set_log_bytes(account.log_bytes);
  used.set_submissions(
      Leaked(account.submissions, out.limits().submissions_per_minute(), now_us).level);
  used.set_decayed_turn_seconds(
      Decayed(account.usage_us, now_us - account.usage_at_us, policy.half_life_us) * 1e-6);
  return out;
}

absl::StatusOr<v1::ListQuotasResponse> DescribeQuotas(SQLite::Database& db,
                                                      const v1::ListQuotasRequest& request,
                                                      const QueuePolicy& policy, int64_t now_us) {
  const absl::StatusOr<int> size = PageSize(request.page_size());
  if (!size.ok()) return size.status();
  const absl::StatusOr<int64_t> skip = PageBegin(request.page_token(), 0);
  if (!skip.ok()) return skip.status();
  std::vector<v1::GetQuotaResponse> all;
  SQLite::Statement s(db, "SELECT uid FROM account UNION SELECT uid FROM quota");
  while (s.executeStep()) {
    all.push_back(DescribeQuota(db, static_cast<uint32_t>(s.getColumn(0).getInt64()), policy, now_us));
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.used().decayed_turn_seconds() > b.used().decayed_turn_seconds();
  });
  v1::ListQuotasResponse response;
  for (size_t i = static_cast<size_t>(std::max<int64_t>(0, *skip)); i < all.size(); ++i) {
    if (response.users_size() == *size) {
      response.set_next_page_token(absl::StrCat(i));
      break;
    }
    *response.add_users() = std::move(all[i]);
  }
  return response;
}

int64_t CountLiveJobs(SQLite::Database& db, uint32_t uid, int64_t most) {
  SQLite::Statement s(db,
                      "SELECT count(*) FROM (SELECT 1 FROM job WHERE owner_uid = ? AND "
                      "state IN ('QUEUED','HELD','LEASED','RUNNING') LIMIT ?)");
  s.bind(1, static_cast<int64_t>(uid));
  s.bind(2, most);
  s.executeStep();
  return s.getColumn(0).getInt64();
}

}  // namespace kernelopt::server
