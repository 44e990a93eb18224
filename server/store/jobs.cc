#include "store/jobs.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/util/time_util.h"
#include "store/spec_files.h"
#include "support/status.h"

namespace kernelopt::server {
namespace {

using google::protobuf::util::TimeUtil;

constexpr char kColumns[] =
    "id, public_id, owner_uid, state, state_reason, state_message, spec, retry_of, revision, "
    "attempt, epoch, worker, boot_id, lease_boot_us, cancel_us, created_us, leased_us, "
    "started_us, finished_us, summary";

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
              const std::string& reason, int64_t now_us) {
  SQLite::Statement s(
      db, "INSERT INTO event (job_id, revision, time_us, state, reason) VALUES (?, ?, ?, ?, ?)");
  s.bind(1, job_id);
  s.bind(2, revision);
  s.bind(3, now_us);
  s.bind(4, state);
  s.bind(5, reason);
  s.exec();
}

void PinBlobs(SQLite::Database& db, int64_t job_id, const v1::JobSpec& spec) {
  SQLite::Statement s(db, "INSERT OR IGNORE INTO job_blob (job_id, digest) VALUES (?, ?)");
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

absl::Status NotFound(const std::string& public_id) {
  return support::ReasonError(absl::StatusCode::kNotFound, support::Reason::JOB_NOT_FOUND,
                              absl::StrCat("no job jobs/", public_id,
                                           "; `koptctl list` shows those there are"),
                              {{"job", absl::StrCat("jobs/", public_id)}});
}

}  // namespace

void InsertJob(SQLite::Database& db, const NewJob& job) {
  SQLite::Statement s(
      db,
      "INSERT INTO job (public_id, owner_uid, state, priority, device, label, spec, request_id, "
      "request_digest, retry_of, queue_deadline_us, created_us) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
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
  s.bind(11, job.queue_deadline_us);
  s.bind(12, job.now_us);
  s.exec();
  const int64_t id = db.getLastInsertRowid();
  PinBlobs(db, id, job.spec);
  AddEvent(db, id, 1, state, "", job.now_us);
}

absl::StatusOr<JobRow> LoadJob(SQLite::Database& db, const std::string& public_id, With with) {
  SQLite::Statement s(db, absl::StrCat("SELECT ", kColumns, " FROM job WHERE public_id = ?"));
  s.bind(1, public_id);
  if (!s.executeStep()) return NotFound(public_id);
  JobRow row = RowOf(s);
  if (with == With::kAttempts) AddAttempts(db, row);
  return row;
}

std::optional<EarlierRequest> FindRequest(SQLite::Database& db, uint32_t uid,
                                          const std::string& request_id) {
  SQLite::Statement s(
      db, "SELECT public_id, request_digest FROM job WHERE owner_uid = ? AND request_id = ?");
  s.bind(1, static_cast<int64_t>(uid));
  s.bind(2, request_id);
  if (!s.executeStep()) return std::nullopt;
  return EarlierRequest{s.getColumn(0).getText(), s.getColumn(1).getText()};
}

absl::StatusOr<JobPage> ListJobRows(SQLite::Database& db, const v1::ListJobsRequest& request,
                                    uint32_t caller_uid) {
  int64_t before = INT64_MAX;
  if (request.page_size() < 0) {
    return support::BadRequest({{"page_size", "must not be negative"}});
  }
  if (!request.page_token().empty() && !absl::SimpleAtoi(request.page_token(), &before)) {
    return support::BadRequest({{"page_token", "is not one this server gave out"}});
  }
  const int size = request.page_size() == 0 ? 50 : std::min(request.page_size(), 1000);
  std::string sql = absl::StrCat("SELECT ", kColumns, " FROM job WHERE id < ?1");
  if (request.mine()) absl::StrAppend(&sql, " AND owner_uid = ?2");
  if (!request.label().empty()) absl::StrAppend(&sql, " AND instr(label, ?3) > 0");
  if (request.has_created_after()) absl::StrAppend(&sql, " AND created_us >= ?4");
  if (request.states_size() > 0) {
    absl::StrAppend(&sql, " AND state IN (");
    for (int i = 0; i < request.states_size(); ++i) {
      absl::StrAppend(&sql, i > 0 ? "," : "", "'", StateName(request.states(i)), "'");
    }
    absl::StrAppend(&sql, ")");
  }
  absl::StrAppend(&sql, " ORDER BY id DESC LIMIT ?5");
  SQLite::Statement s(db, sql);
  s.bind(1, before);
  if (request.mine()) s.bind(2, static_cast<int64_t>(caller_uid));
  if (!request.label().empty()) s.bind(3, request.label());
  if (request.has_created_after()) {
    s.bind(4, static_cast<int64_t>(TimeUtil::TimestampToMicroseconds(request.created_after())));
  }
  s.bind(5, size);
  JobPage page;
  int64_t last = 0;
  while (s.executeStep()) {
    JobRow row = RowOf(s);
    last = row.id;
    page.jobs.push_back(std::move(row.job));
  }
  if (static_cast<int>(page.jobs.size()) == size) page.next_page_token = absl::StrCat(last);
  return page;
}

int64_t ApplyChange(SQLite::Database& db, const JobRow& row, const Change& change,
                    int64_t now_us) {
  const bool new_cancel = change.request_cancel && !row.facts.cancel_requested;
  if (change.to == row.facts.state && !new_cancel) return row.job.revision();
  if (!change.attempt_end.empty()) EndAttempt(db, row, change.attempt_end, now_us);
  const int64_t revision = row.job.revision() + 1;
  const bool leased = HasLease(change.to);
  std::string sql =
      "UPDATE job SET state = ?1, state_reason = ?2, state_message = ?3, revision = ?4";
  if (!leased) absl::StrAppend(&sql, ", worker = NULL, boot_id = NULL, lease_boot_us = NULL");
  if (change.to == v1::JOB_STATE_QUEUED) absl::StrAppend(&sql, ", started_us = NULL");
  if (change.to == v1::JOB_STATE_RUNNING && row.facts.state != change.to) {
    absl::StrAppend(&sql, ", started_us = ?5");
  }
  if (IsTerminal(change.to)) absl::StrAppend(&sql, ", finished_us = ?5");
  if (new_cancel) absl::StrAppend(&sql, ", cancel_us = ?5");
  absl::StrAppend(&sql, " WHERE id = ?6");
  SQLite::Statement s(db, sql);
  s.bind(1, StateName(change.to));
  s.bind(2, change.reason);
  s.bind(3, change.message);
  s.bind(4, revision);
  if (sql.find("?5") != std::string::npos) s.bind(5, now_us);
  s.bind(6, row.id);
  s.exec();
  AddEvent(db, row.id, revision, StateName(change.to),
           new_cancel ? "CANCEL_REQUESTED" : change.reason, now_us);
  return revision;
}

std::optional<JobRow> ClaimNext(SQLite::Database& db, const Claim& claim) {
  SQLite::Statement s(
      db, absl::StrCat("UPDATE job SET state = 'LEASED', state_reason = '', state_message = '', "
                       "revision = revision + 1, attempt = attempt + 1, epoch = epoch + 1, "
                       "worker = ?1, boot_id = ?2, lease_boot_us = ?3, "
                       "leased_us = coalesce(leased_us, ?4) WHERE id = "
                       "(SELECT id FROM job WHERE device = ?5 AND state = 'QUEUED' "
                       "ORDER BY priority, id LIMIT 1) RETURNING ",
                       kColumns));
  s.bind(1, claim.worker);
  s.bind(2, claim.boot_id);
  s.bind(3, claim.now_boot_us);
  s.bind(4, claim.now_us);
  s.bind(5, claim.device);
  if (!s.executeStep()) return std::nullopt;
  JobRow row = RowOf(s);
  while (s.executeStep()) {
  }
  SQLite::Statement attempt(db,
                            "INSERT INTO attempt (job_id, number, epoch, worker, device, "
                            "leased_us) VALUES (?, ?, ?, ?, ?, ?)");
  attempt.bind(1, row.id);
  attempt.bind(2, row.facts.attempt);
  attempt.bind(3, row.facts.epoch);
  attempt.bind(4, claim.worker);
  attempt.bind(5, claim.device);
  attempt.bind(6, claim.now_us);
  attempt.exec();
  AddEvent(db, row.id, row.job.revision(), "LEASED", "", claim.now_us);
  return row;
}

void InsertResult(SQLite::Database& db, const JobRow& row, const Change& change,
                  const v1::JobResult& result, int64_t now_us) {
  SQLite::Statement s(db, "INSERT INTO result (job_id, attempt, result) VALUES (?, ?, ?)");
  s.bind(1, row.id);
  s.bind(2, row.facts.attempt);
  BindBlob(s, 3, result.SerializeAsString());
  s.exec();
  EndAttempt(db, row, change.attempt_end, now_us);
  SQLite::Statement update(
      db,
      "UPDATE job SET state = ?1, state_reason = '', state_message = '', revision = revision + 1, "
      "worker = NULL, boot_id = NULL, lease_boot_us = NULL, "
      "started_us = coalesce(started_us, ?2), finished_us = ?2, summary = ?3 WHERE id = ?4");
  update.bind(1, StateName(change.to));
  update.bind(2, now_us);
  BindBlob(update, 3, Summarize(result).SerializeAsString());
  update.bind(4, row.id);
  update.exec();
  AddEvent(db, row.id, row.job.revision() + 1, StateName(change.to), "", now_us);
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

namespace {

std::vector<std::string> Ids(SQLite::Statement& s) {
  std::vector<std::string> ids;
  while (s.executeStep()) ids.emplace_back(s.getColumn(0).getText());
  return ids;
}

}  // namespace

std::vector<std::string> LeasedJobs(SQLite::Database& db, const std::string& device) {
  SQLite::Statement s(db,
                      "SELECT public_id FROM job WHERE state IN ('LEASED','RUNNING') "
                      "AND (?1 = '' OR device = ?1)");
  s.bind(1, device);
  return Ids(s);
}

std::vector<std::string> OverdueJobs(SQLite::Database& db, int64_t now_us) {
  SQLite::Statement s(db,
                      "SELECT public_id FROM job WHERE state IN ('QUEUED','HELD') "
                      "AND queue_deadline_us <= ? AND attempt = 0");
  s.bind(1, now_us);
  return Ids(s);
}

int64_t CountLiveJobs(SQLite::Database& db, uint32_t uid) {
  SQLite::Statement s(db,
                      "SELECT count(*) FROM job WHERE owner_uid = ? AND "
                      "state IN ('QUEUED','HELD','LEASED','RUNNING')");
  s.bind(1, static_cast<int64_t>(uid));
  s.executeStep();
  return s.getColumn(0).getInt64();
}

Ahead JobsAhead(SQLite::Database& db, const JobRow& row) {
  Ahead ahead;
  SQLite::Statement s(db,
                      "SELECT public_id, count(*) OVER () FROM job WHERE device = ?1 AND "
                      "state = 'QUEUED' AND (priority, id) < (?2, ?3) ORDER BY priority DESC, "
                      "id DESC LIMIT 1");
  s.bind(1, row.job.spec().device());
  s.bind(2, static_cast<int>(row.job.spec().priority()));
  s.bind(3, row.id);
  if (s.executeStep()) {
    ahead.first = absl::StrCat("jobs/", s.getColumn(0).getText());
    ahead.jobs = s.getColumn(1).getInt64();
  }
  return ahead;
}

v1::ResultSummary Summarize(const v1::JobResult& result) {
  v1::ResultSummary summary;
  for (const v1::SubjectResult& subject : result.subjects()) {
    if (subject.role() != "candidate") continue;
    summary.set_verdict(subject.verdict());
    summary.set_reason(subject.reason());
    summary.set_median_us(subject.timing().median_us());
  }
  if (result.comparisons_size() > 0) {
    summary.set_outcome(result.comparisons(0).outcome());
    summary.set_speedup(result.comparisons(0).speedup());
  }
  return summary;
}

}  // namespace kernelopt::server
