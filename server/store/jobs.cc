#include "store/jobs.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "google/protobuf/util/time_util.h"
#include "store/dependencies.h"
#include "store/search.h"
#include "store/spec_files.h"
#include "store/page.h"
#include "store/prepared.h"
#include "support/statement.h"
#include "support/status.h"

namespace kernelopt::server {
namespace {

using google::protobuf::util::TimeUtil;

constexpr char kColumns[] =
    "id, public_id, owner_uid, state, state_reason, state_message, spec, retry_of, revision, "
    "attempt, epoch, worker, boot_id, lease_boot_us, cancel_us, created_us, leased_us, "
    "started_us, finished_us, summary, recalls, turn_boot_us, unmet, not_before_us, log_bytes";

void SetTime(const SQLite::Column& column, google::protobuf::Timestamp* time) {
  *time = TimeUtil::MicrosecondsToTimestamp(column.getInt64());
}

JobRow RowOf(SQLite::Statement& s) {
  JobRow row;
  row.id = s.getColumn(0).getInt64();
  v1::Job& job = row.job;
  job.set_name(absl::StrCat("jobs/", s.getColumn(1).getText()));
  job.set_owner_uid(static_cast<uint32_t>(s.getColumn(2).getInt64()));
  job.set_state(StateFromName(s.getColumn(3).getText()));
  job.set_state_reason(s.getColumn(4).getText());
  job.set_state_message(s.getColumn(5).getText());
  const SQLite::Column spec = s.getColumn(6);
  job.mutable_spec()->ParseFromArray(spec.getBlob(), spec.getBytes());
  job.set_retry_of(s.getColumn(7).getText());
  job.set_revision(s.getColumn(8).getInt64());
  row.facts.attempt = s.getColumn(9).getInt();
  row.facts.epoch = s.getColumn(10).getInt64();
  row.worker = s.getColumn(11).getText();
  row.boot_id = s.getColumn(12).getText();
  row.lease_boot_us = s.getColumn(13).getInt64();
  row.cancel_us = s.getColumn(14).getInt64();
  row.facts.state = job.state();
  row.facts.cancel_requested = !s.getColumn(14).isNull();
  job.set_cancel_requested(row.facts.cancel_requested && !IsTerminal(job.state()));
  SetTime(s.getColumn(15), job.mutable_create_time());
  if (!s.getColumn(16).isNull()) SetTime(s.getColumn(16), job.mutable_lease_time());
  if (!s.getColumn(17).isNull()) SetTime(s.getColumn(17), job.mutable_start_time());
  if (!s.getColumn(18).isNull()) SetTime(s.getColumn(18), job.mutable_finish_time());
  const SQLite::Column summary = s.getColumn(19);
  if (!summary.isNull()) {
    job.mutable_summary()->ParseFromArray(summary.getBlob(), summary.getBytes());
  }
  row.facts.recalls = s.getColumn(20).getInt();
  row.turn_boot_us = s.getColumn(21).getInt64();
  row.unmet = s.getColumn(22).getInt();
  row.not_before_us = s.getColumn(23).getInt64();
  row.log_bytes = s.getColumn(24).getInt64();
  return row;
}

void BindBlob(SQLite::Statement& s, int index, const std::string& bytes) {
  s.bind(index, bytes.data(), static_cast<int>(bytes.size()));
}

void AddAttempts(SQLite::Database& db, JobRow& row) {
  SQLite::Statement s(db,
                      "SELECT number, epoch, worker, device, leased_us, ended_us, end_reason "
                      "FROM attempt WHERE job_id = ? ORDER BY number");
  s.bind(1, row.id);
  while (s.executeStep()) {
    v1::Attempt* attempt = row.job.add_attempts();
    attempt->set_number(s.getColumn(0).getInt());
    attempt->set_epoch(s.getColumn(1).getInt64());
    attempt->set_worker(s.getColumn(2).getText());
    attempt->set_device(s.getColumn(3).getText());
    SetTime(s.getColumn(4), attempt->mutable_lease_time());
    if (!s.getColumn(5).isNull()) SetTime(s.getColumn(5), attempt->mutable_end_time());
    attempt->set_end_reason(s.getColumn(6).getText());
  }
}

void AddEvent(SQLite::Database& db, int64_t job_id, int64_t revision, const std::string& state,
              const std::string& reason, int64_t now_us, std::optional<uint32_t> uid) {
  Prepared prepared(db,
                    "INSERT INTO event (job_id, revision, time_us, state, reason, uid) "
                    "VALUES (?, ?, ?, ?, ?, ?)");
  SQLite::Statement& s = *prepared;
  s.bind(1, job_id);
  s.bind(2, revision);
  s.bind(3, now_us);
  s.bind(4, state);
  s.bind(5, reason);
  if (uid) s.bind(6, static_cast<int64_t>(*uid));
  s.exec();
}

void PinBlobs(SQLite::Database& db, int64_t job_id, const v1::JobSpec& spec) {
  Prepared prepared(db, "INSERT OR IGNORE INTO job_blob (job_id, digest) VALUES (?, ?)");
  SQLite::Statement& s = *prepared;
  const auto pin = [&](const v1::SourceFile& file) {
    s.reset();
    s.bind(1, job_id);
    s.bind(2, file.digest());
    s.exec();
  };
  EachFile(spec, pin);
}

void EndAttempt(SQLite::Database& db, const JobRow& row, const std::string& reason,
                int64_t now_us) {
  SQLite::Statement s(db,
                      "UPDATE attempt SET ended_us = ?, end_reason = ? "
                      "WHERE job_id = ? AND number = ?");
  s.bind(1, now_us);
  s.bind(2, reason);
  s.bind(3, row.id);
  s.bind(4, row.facts.attempt);
  s.exec();
}

}  // namespace

absl::Status NoSuchJob(const std::string& public_id) {
  return support::ReasonError(absl::StatusCode::kNotFound, support::Reason::JOB_NOT_FOUND,
                              absl::StrCat("no job jobs/", public_id,
                                           "; `koptctl list` shows those there are"),
                              {{"job", absl::StrCat("jobs/", public_id)}});
}

int64_t InsertJob(SQLite::Database& db, const NewJob& job) {
  Prepared prepared(
      db,
      "INSERT INTO job (public_id, owner_uid, state, priority, device, label, spec, request_id, "
      "request_digest, retry_of, queue_deadline_us, created_us, not_before_us, ready_us) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  SQLite::Statement& s = *prepared;
  const int64_t not_before_us =
      job.spec.has_not_before() ? TimeUtil::TimestampToMicroseconds(job.spec.not_before()) : 0;
  const int64_t ready_us = std::max(job.now_us, not_before_us);
  const std::string state = job.spec.hold() ? "HELD" : "QUEUED";
  s.bind(1, job.public_id);
  s.bind(2, static_cast<int64_t>(job.owner_uid));
  s.bind(3, state);
  s.bind(4, static_cast<int>(job.spec.priority()));
  s.bind(5, job.spec.device());
  s.bind(6, job.spec.label());
  BindBlob(s, 7, job.spec.SerializeAsString());
  if (!job.request_id.empty()) {
    s.bind(8, job.request_id);
    s.bind(9, job.request_digest);
  }
  s.bind(10, job.retry_of);
  s.bind(11, ready_us + job.queue_us);
  s.bind(12, job.now_us);
  if (not_before_us > job.now_us) s.bind(13, not_before_us);
  s.bind(14, ready_us);
  s.exec();
  const int64_t id = db.getLastInsertRowid();
  PinBlobs(db, id, job.spec);
  AddEvent(db, id, 1, state, "", job.now_us, job.owner_uid);
  return id;
}

absl::StatusOr<JobRow> LoadJob(SQLite::Database& db, const std::string& public_id, With with) {
  static const std::string sql =
      absl::StrCat("SELECT ", kColumns, " FROM job WHERE public_id = ?");
  Prepared prepared(db, sql);
  SQLite::Statement& s = *prepared;
  s.bind(1, public_id);
  if (!s.executeStep()) return NoSuchJob(public_id);
  JobRow row = RowOf(s);
  if (with == With::kAttempts) AddAttempts(db, row);
  return row;
}

JobRow LoadJobById(SQLite::Database& db, int64_t id) {
  SQLite::Statement s(db, absl::StrCat("SELECT ", kColumns, " FROM job WHERE id = ?"));
  s.bind(1, id);
  s.executeStep();
  return RowOf(s);
}

std::optional<EarlierRequest> FindRequest(SQLite::Database& db, uint32_t uid,
                                          const std::string& request_id) {
  Prepared prepared(
      db, "SELECT public_id, request_digest FROM job WHERE owner_uid = ? AND request_id = ?");
  SQLite::Statement& s = *prepared;
  s.bind(1, static_cast<int64_t>(uid));
  s.bind(2, request_id);
  if (!s.executeStep()) return std::nullopt;
  return EarlierRequest{s.getColumn(0).getText(), s.getColumn(1).getText()};
}

absl::StatusOr<JobPage> ListJobRows(SQLite::Database& db, const v1::ListJobsRequest& request,
                                    uint32_t caller_uid, std::optional<uint32_t> owner) {
  const absl::StatusOr<int> size = PageSize(request.page_size());
  if (!size.ok()) return size.status();
  const absl::StatusOr<int64_t> before = PageBegin(request.page_token(), INT64_MAX);
  if (!before.ok()) return before.status();
  for (const int state : request.states()) {
    if (!v1::JobState_IsValid(state) || state == v1::JOB_STATE_UNSPECIFIED) {
      return support::BadRequest({{"states", absl::StrCat(state, " is not a state")}});
    }
  }
  std::string sql = absl::StrCat("SELECT ", kColumns, " FROM job WHERE id < ?1");
  if (request.mine()) absl::StrAppend(&sql, " AND owner_uid = ?2");
  // Others' labels are not shown, so they are not probed either.
  if (!request.label().empty()) absl::StrAppend(&sql, " AND instr(label, ?3) > 0");
  if (!request.label().empty() && owner) absl::StrAppend(&sql, " AND owner_uid = ?7");
  if (request.has_created_after()) absl::StrAppend(&sql, " AND created_us >= ?4");
  if (!request.search().empty()) {
    absl::StrAppend(&sql, " AND id IN (SELECT rowid FROM job_text WHERE job_text MATCH ?6)");
  }
  if (request.states_size() > 0) {
    absl::StrAppend(&sql, " AND state IN (");
    for (int i = 0; i < request.states_size(); ++i) {
      absl::StrAppend(&sql, i > 0 ? "," : "", "'", StateName(request.states(i)), "'");
    }
    absl::StrAppend(&sql, ")");
  }
  absl::StrAppend(&sql, " ORDER BY id DESC LIMIT ?5");
  SQLite::Statement s(db, sql);
  s.bind(1, *before);
  if (request.mine()) s.bind(2, static_cast<int64_t>(caller_uid));
  if (!request.label().empty()) s.bind(3, request.label());
  if (request.has_created_after()) {
    s.bind(4, static_cast<int64_t>(TimeUtil::TimestampToMicroseconds(request.created_after())));
  }
  s.bind(5, *size);
  if (!request.label().empty() && owner) s.bind(7, static_cast<int64_t>(*owner));
  if (!request.search().empty()) s.bind(6, SearchQuery(request.search(), owner));
  JobPage page;
  int64_t last = 0;
  while (s.executeStep()) {
    JobRow row = RowOf(s);
    last = row.id;
    page.jobs.push_back(std::move(row.job));
  }
  if (static_cast<int>(page.jobs.size()) == *size) page.next_page_token = absl::StrCat(last);
  return page;
}

int64_t WriteChange(SQLite::Database& db, const JobRow& row, const Change& change,
                    support::Instant now, std::optional<uint32_t> uid) {
  const bool new_cancel = change.request_cancel && !row.facts.cancel_requested;
  if (change.to == row.facts.state && !new_cancel) return row.job.revision();
  if (!change.attempt_end.empty()) EndAttempt(db, row, change.attempt_end, now.wall_us);
  const int64_t revision = row.job.revision() + 1;
  const bool leased = HasLease(change.to);
  std::string sql =
      "UPDATE job SET state = ?1, state_reason = ?2, state_message = ?3, revision = ?4";
  if (!leased) {
    absl::StrAppend(&sql, ", worker = NULL, boot_id = NULL, lease_boot_us = NULL, turn_boot_us = NULL");
  }
  if (change.to == v1::JOB_STATE_QUEUED) absl::StrAppend(&sql, ", started_us = NULL");
  // A released job has waited for a person, not for a device.
  if (row.facts.state == v1::JOB_STATE_HELD) absl::StrAppend(&sql, ", ready_us = max(ready_us, ?8)");
  if (change.to == v1::JOB_STATE_RUNNING && row.facts.state != change.to) {
    absl::StrAppend(&sql, ", started_us = ?5, turn_boot_us = ?7");
  }
  if (change.attempt_end == "RECALLED") absl::StrAppend(&sql, ", recalls = recalls + 1");
  if (IsTerminal(change.to)) absl::StrAppend(&sql, ", finished_us = ?5");
  if (new_cancel) absl::StrAppend(&sql, ", cancel_us = ?5");
  absl::StrAppend(&sql, " WHERE id = ?6");
  SQLite::Statement s(db, sql);
  s.bind(1, StateName(change.to));
  s.bind(2, change.reason);
  s.bind(3, change.message);
  s.bind(4, revision);
  if (sql.find("?5") != std::string::npos) s.bind(5, now.wall_us);
  s.bind(6, row.id);
  if (sql.find("?7") != std::string::npos) s.bind(7, now.boot_us);
  if (sql.find("?8") != std::string::npos) s.bind(8, now.wall_us);
  s.exec();
  AddEvent(db, row.id, revision, StateName(change.to),
           new_cancel ? "CANCEL_REQUESTED" : change.reason, now.wall_us, uid);
  return revision;
}

int64_t ApplyChange(SQLite::Database& db, const JobRow& row, const Change& change,
                    support::Instant now, std::optional<uint32_t> uid) {
  const int64_t revision = WriteChange(db, row, change, now, uid);
  if (IsTerminal(change.to) && !IsTerminal(row.facts.state)) SettleDependents(db, row.id, now);
  return revision;
}

void LeaseJob(SQLite::Database& db, int64_t id, const std::string& worker,
              const std::string& boot_id, support::Instant now) {
  SQLite::Statement s(
      db,
      "UPDATE job SET state = 'LEASED', state_reason = '', state_message = '', "
      "revision = revision + 1, attempt = attempt + 1, epoch = epoch + 1, "
      "worker = ?1, boot_id = ?2, lease_boot_us = ?3, leased_us = coalesce(leased_us, ?4) "
      "WHERE id = ?5 RETURNING attempt, epoch, device, revision");
  s.bind(1, worker);
  s.bind(2, boot_id);
  s.bind(3, now.boot_us);
  s.bind(4, now.wall_us);
  s.bind(5, id);
  s.executeStep();
  SQLite::Statement attempt(db,
                            "INSERT INTO attempt (job_id, number, epoch, worker, device, "
                            "leased_us) VALUES (?, ?, ?, ?, ?, ?)");
  attempt.bind(1, id);
  attempt.bind(2, s.getColumn(0).getInt());
  attempt.bind(3, s.getColumn(1).getInt64());
  attempt.bind(4, worker);
  attempt.bind(5, s.getColumn(2).getString());
  attempt.bind(6, now.wall_us);
  const int64_t revision = s.getColumn(3).getInt64();
  while (s.executeStep()) {
  }
  attempt.exec();
  AddEvent(db, id, revision, "LEASED", "", now.wall_us, std::nullopt);
}

void StoreResult(SQLite::Database& db, const JobRow& row, const Change& change,
                 const v1::JobResult& result, support::Instant now) {
  SQLite::Statement s(db, "INSERT INTO result (job_id, attempt, result) VALUES (?, ?, ?)");
  s.bind(1, row.id);
  s.bind(2, row.facts.attempt);
  BindBlob(s, 3, result.SerializeAsString());
  s.exec();
  EndAttempt(db, row, change.attempt_end, now.wall_us);
  SQLite::Statement update(
      db,
      "UPDATE job SET state = ?1, state_reason = '', state_message = '', revision = revision + 1, "
      "worker = NULL, boot_id = NULL, lease_boot_us = NULL, turn_boot_us = NULL, "
      "started_us = coalesce(started_us, ?2), finished_us = ?2, summary = ?3 WHERE id = ?4");
  update.bind(1, StateName(change.to));
  update.bind(2, now.wall_us);
  BindBlob(update, 3, support::SummaryOf(result).SerializeAsString());
  update.bind(4, row.id);
  update.exec();
  AddEvent(db, row.id, row.job.revision() + 1, StateName(change.to), "", now.wall_us, std::nullopt);
  SettleDependents(db, row.id, now);
}

absl::StatusOr<v1::JobResult> LoadResult(SQLite::Database& db, const JobRow& row) {
  SQLite::Statement s(db, "SELECT result FROM result WHERE job_id = ?");
  s.bind(1, row.id);
  if (!s.executeStep()) {
    return support::ReasonError(
        absl::StatusCode::kFailedPrecondition, support::Reason::NO_RESULT,
        absl::StrCat(row.job.name(), " has no result: it is ", StateName(row.facts.state),
                     row.job.state_message().empty() ? "" : ", ", row.job.state_message()),
        {{"job", row.job.name()}, {"state", StateName(row.facts.state)}});
  }
  v1::JobResult result;
  const SQLite::Column blob = s.getColumn(0);
  if (!result.ParseFromArray(blob.getBlob(), blob.getBytes())) {
    return absl::DataLossError(absl::StrCat("the stored result of ", row.job.name(), " is damaged"));
  }
  return result;
}

std::vector<int64_t> WaitingJobs(SQLite::Database& db, const std::string& device) {
  SQLite::Statement s(db,
                      "SELECT id FROM job WHERE state IN ('QUEUED','HELD') AND "
                      "(?1 = '' OR device = ?1) ORDER BY id");
  s.bind(1, device);
  std::vector<int64_t> ids;
  while (s.executeStep()) ids.push_back(s.getColumn(0).getInt64());
  return ids;
}

std::vector<std::string> OverdueJobs(SQLite::Database& db, int64_t now_us) {
  SQLite::Statement s(db,
                      "SELECT public_id FROM job WHERE state IN ('QUEUED','HELD') "
                      "AND queue_deadline_us <= ? AND attempt = 0 AND unmet = 0 "
                      "AND not_before_us IS NULL");
  s.bind(1, now_us);
  std::vector<std::string> ids;
  while (s.executeStep()) ids.emplace_back(s.getColumn(0).getText());
  return ids;
}

void ShiftDeadlines(SQLite::Database& db, int64_t by_us) {
  SQLite::Statement s(db,
                      "UPDATE job SET queue_deadline_us = queue_deadline_us + ?1, "
                      "ready_us = ready_us + ?1 WHERE state IN ('QUEUED','HELD') "
                      "AND not_before_us IS NULL");
  s.bind(1, by_us);
  s.exec();
}

std::vector<JobEvent> EventsSince(SQLite::Database& db, int64_t& seq) {
  Prepared prepared(db,
                    "SELECT seq, public_id, event.state, reason FROM event "
                    "JOIN job ON job.id = job_id WHERE seq > ? ORDER BY seq");
  SQLite::Statement& s = *prepared;
  s.bind(1, seq);
  std::vector<JobEvent> events;
  while (s.executeStep()) {
    seq = s.getColumn(0).getInt64();
    events.push_back({s.getColumn(1).getText(), StateFromName(s.getColumn(2).getText()),
                      s.getColumn(3).getText()});
  }
  return events;
}

int64_t NewestEvent(SQLite::Database& db) {
  return db.execAndGet("SELECT coalesce(max(seq), 0) FROM event").getInt64();
}

}  // namespace kernelopt::server
