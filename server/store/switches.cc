#include "store/switches.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include "absl/strings/str_cat.h"
#include "google/protobuf/util/time_util.h"
#include "store/page.h"

namespace kernelopt::server {

using google::protobuf::util::TimeUtil;

std::optional<std::string> PauseReason(SQLite::Database& db) {
  SQLite::Statement s(db, "SELECT value FROM switch WHERE name = 'paused'");
  if (!s.executeStep()) return std::nullopt;
  return s.getColumn(0).getText();
}

void SetPause(SQLite::Database& db, const std::optional<std::string>& reason) {
  SQLite::Statement s(db, reason ? "INSERT OR REPLACE INTO switch VALUES ('paused', ?)"
                                 : "DELETE FROM switch WHERE name = 'paused'");
  if (reason) s.bind(1, *reason);
  s.exec();
}

std::vector<v1::StateCount> JobCounts(SQLite::Database& db) {
  SQLite::Statement s(db, "SELECT state, jobs FROM job_count ORDER BY rowid");
  std::vector<v1::StateCount> counts;
  while (s.executeStep()) {
    v1::StateCount count;
    count.set_state(s.getColumn(0).getText());
    count.set_count(s.getColumn(1).getInt64());
    counts.push_back(std::move(count));
  }
  return counts;
}

void AddAudit(SQLite::Database& db, int64_t now_us, uint32_t uid, const std::string& action,
              const std::string& target, const std::string& detail) {
  SQLite::Statement s(
      db, "INSERT INTO audit (time_us, uid, action, target, detail) VALUES (?, ?, ?, ?, ?)");
  s.bind(1, now_us);
  s.bind(2, static_cast<int64_t>(uid));
  s.bind(3, action);
  s.bind(4, target);
  s.bind(5, detail);
  s.exec();
}

absl::Status ListAudit(SQLite::Database& db, const v1::ListAuditEventsRequest& request,
                       v1::ListAuditEventsResponse& response) {
  const absl::StatusOr<int> size = PageSize(request.page_size());
  if (!size.ok()) return size.status();
  const absl::StatusOr<int64_t> before = PageBegin(request.page_token(), INT64_MAX);
  if (!before.ok()) return before.status();
  SQLite::Statement s(db,
                      "SELECT seq, time_us, uid, action, target, detail FROM audit "
                      "WHERE seq < ? ORDER BY seq DESC LIMIT ?");
  s.bind(1, *before);
  s.bind(2, *size);
  int64_t last = 0;
  while (s.executeStep()) {
    v1::AuditEvent* event = response.add_events();
    last = s.getColumn(0).getInt64();
    *event->mutable_time() = TimeUtil::MicrosecondsToTimestamp(s.getColumn(1).getInt64());
    event->set_uid(static_cast<uint32_t>(s.getColumn(2).getInt64()));
    event->set_action(s.getColumn(3).getText());
    event->set_target(s.getColumn(4).getText());
    event->set_detail(s.getColumn(5).getText());
  }
  if (response.events_size() == *size) response.set_next_page_token(absl::StrCat(last));
  return absl::OkStatus();
}

}  // namespace kernelopt::server
