#include "store/catalog.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/util/time_util.h"
#include "support/status.h"

namespace kernelopt::server {

using google::protobuf::util::TimeUtil;

void AddBlob(SQLite::Database& db, const std::string& digest, int64_t size, uint32_t uid,
             int64_t now_us) {
  SQLite::Statement blob(db,
                         "INSERT INTO blob (digest, size, touched_us) VALUES (?1, ?2, ?3) "
                         "ON CONFLICT (digest) DO UPDATE SET touched_us = ?3");
  blob.bind(1, digest);
  blob.bind(2, size);
  blob.bind(3, now_us);
  blob.exec();
  SQLite::Statement owner(db, "INSERT OR IGNORE INTO blob_owner (uid, digest) VALUES (?, ?)");
  owner.bind(1, static_cast<int64_t>(uid));
  owner.bind(2, digest);
  owner.exec();
}

bool OwnsBlob(SQLite::Database& db, const std::string& digest, uint32_t uid) {
  SQLite::Statement s(db, "SELECT 1 FROM blob_owner WHERE uid = ? AND digest = ?");
  s.bind(1, static_cast<int64_t>(uid));
  s.bind(2, digest);
  return s.executeStep();
}

bool JobNamesBlob(SQLite::Database& db, const std::string& public_id, const std::string& digest) {
  SQLite::Statement s(db,
                      "SELECT 1 FROM job_blob WHERE digest = ? AND "
                      "job_id = (SELECT id FROM job WHERE public_id = ?)");
  s.bind(1, digest);
  s.bind(2, public_id);
  return s.executeStep();
}

std::vector<std::string> DropStaleBlobs(SQLite::Database& db, int64_t before_us) {
  SQLite::Statement s(db,
                      "DELETE FROM blob WHERE touched_us < ? AND NOT EXISTS "
                      "(SELECT 1 FROM job_blob WHERE job_blob.digest = blob.digest) "
                      "RETURNING digest");
  s.bind(1, before_us);
  std::vector<std::string> dropped;
  while (s.executeStep()) dropped.emplace_back(s.getColumn(0).getText());
  return dropped;
}

void PutDevice(SQLite::Database& db, const v1::Device& device, int64_t now_us) {
  SQLite::Statement s(db,
                      "INSERT INTO device (name, report, seen_us) VALUES (?1, ?2, ?3) "
                      "ON CONFLICT (name) DO UPDATE SET report = ?2, seen_us = ?3");
  const std::string report = device.SerializeAsString();
  s.bind(1, device.name());
  s.bind(2, report.data(), static_cast<int>(report.size()));
  s.bind(3, now_us);
  s.exec();
}

std::vector<v1::Device> LoadDevices(SQLite::Database& db) {
  SQLite::Statement s(db,
                      "SELECT name, report, seen_us, drained, drain_reason, drained_by_uid "
                      "FROM device ORDER BY name");
  std::vector<v1::Device> devices;
  while (s.executeStep()) {
    v1::Device device;
    const SQLite::Column report = s.getColumn(1);
    device.ParseFromArray(report.getBlob(), report.getBytes());
    device.set_name(s.getColumn(0).getText());
    *device.mutable_seen_time() = TimeUtil::MicrosecondsToTimestamp(s.getColumn(2).getInt64());
    device.set_drained(s.getColumn(3).getInt() != 0);
    device.set_drain_reason(s.getColumn(4).getText());
    device.set_drained_by_uid(static_cast<uint32_t>(s.getColumn(5).getInt64()));
    devices.push_back(std::move(device));
  }
  return devices;
}

namespace {

absl::Status NoDevice(const std::string& name) {
  return support::ReasonError(
      absl::StatusCode::kNotFound, support::Reason::DEVICE_NOT_FOUND,
      absl::StrCat("no worker ever attached for ", name, "; `koptctl device list` shows those"),
      {{"device", name}});
}

}  // namespace

absl::StatusOr<v1::Device> LoadDevice(SQLite::Database& db, const std::string& name) {
  for (v1::Device& device : LoadDevices(db)) {
    if (device.name() == name) return std::move(device);
  }
  return NoDevice(name);
}

absl::Status SetDrained(SQLite::Database& db, const std::string& name, bool drained,
                        const std::string& reason, uint32_t uid) {
  SQLite::Statement s(db,
                      "UPDATE device SET drained = ?2, drain_reason = ?3, drained_by_uid = ?4 "
                      "WHERE name = ?1");
  s.bind(1, name);
  s.bind(2, drained ? 1 : 0);
  s.bind(3, reason);
  if (drained) s.bind(4, static_cast<int64_t>(uid));
  if (s.exec() == 0) return NoDevice(name);
  return absl::OkStatus();
}

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

std::optional<int64_t> QueuedJobsLimit(SQLite::Database& db, uint32_t uid) {
  SQLite::Statement s(db, "SELECT queued_jobs_limit FROM quota WHERE uid = ?");
  s.bind(1, static_cast<int64_t>(uid));
  if (!s.executeStep()) return std::nullopt;
  return s.getColumn(0).getInt64();
}

void SetQueuedJobsLimit(SQLite::Database& db, uint32_t uid, int64_t limit) {
  SQLite::Statement s(db, "INSERT OR REPLACE INTO quota (uid, queued_jobs_limit) VALUES (?, ?)");
  s.bind(1, static_cast<int64_t>(uid));
  s.bind(2, limit);
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
  int64_t before = INT64_MAX;
  if (request.page_size() < 0) {
    return support::BadRequest({{"page_size", "must not be negative"}});
  }
  if (!request.page_token().empty() && !absl::SimpleAtoi(request.page_token(), &before)) {
    return support::BadRequest({{"page_token", "is not one this server gave out"}});
  }
  const int size = request.page_size() == 0 ? 50 : std::min(request.page_size(), 1000);
  SQLite::Statement s(db,
                      "SELECT seq, time_us, uid, action, target, detail FROM audit "
                      "WHERE seq < ? ORDER BY seq DESC LIMIT ?");
  s.bind(1, before);
  s.bind(2, size);
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
  if (response.events_size() == size) response.set_next_page_token(absl::StrCat(last));
  return absl::OkStatus();
}

}  // namespace kernelopt::server
