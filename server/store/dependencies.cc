#include "store/dependencies.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <deque>
#include <vector>

#include "absl/strings/str_cat.h"
#include "queue/lifecycle.h"
#include "store/jobs.h"
#include "support/ids.h"
#include "support/status.h"

namespace kernelopt::server {
namespace {

bool Satisfies(v1::JobState state, const v1::ResultSummary& summary,
               v1::DependencyCondition condition) {
  if (condition == v1::DEPENDENCY_CONDITION_AFTER_ANY) return true;
  return state == v1::JOB_STATE_SUCCEEDED && summary.verdict() == v1::VERDICT_CORRECT;
}

const char* ConditionName(v1::DependencyCondition condition) {
  return condition == v1::DEPENDENCY_CONDITION_AFTER_ANY ? "AFTER_ANY" : "AFTER_OK";
}

v1::DependencyCondition ConditionOf(const std::string& name) {
  return name == "AFTER_ANY" ? v1::DEPENDENCY_CONDITION_AFTER_ANY
                             : v1::DEPENDENCY_CONDITION_AFTER_OK;
}

struct Edge {
  int64_t job_id;
  v1::DependencyCondition condition;
};

std::vector<Edge> WaitingFor(SQLite::Database& db, int64_t on_id) {
  SQLite::Statement s(db, "SELECT job_id, condition FROM dependency WHERE on_id = ? AND met = 0");
  s.bind(1, on_id);
  std::vector<Edge> edges;
  while (s.executeStep()) {
    edges.push_back({s.getColumn(0).getInt64(), ConditionOf(s.getColumn(1).getText())});
  }
  return edges;
}

void Meet(SQLite::Database& db, int64_t job_id, int64_t on_id, support::Instant now) {
  SQLite::Statement met(db, "UPDATE dependency SET met = 1 WHERE job_id = ? AND on_id = ?");
  met.bind(1, job_id);
  met.bind(2, on_id);
  met.exec();
  // The queue limit counts from when it could have started.
  SQLite::Statement job(
      db,
      "UPDATE job SET unmet = unmet - 1, queue_deadline_us = queue_deadline_us + "
      "max(0, ?2 - ready_us), ready_us = max(ready_us, ?2) WHERE id = ?1");
  job.bind(1, job_id);
  job.bind(2, now.wall_us);
  job.exec();
}

}  // namespace

absl::Status InsertDependencies(SQLite::Database& db, int64_t job_id, const v1::JobSpec& spec,
                                uint32_t uid) {
  int64_t unmet = 0;
  for (const v1::Dependency& wanted : spec.after()) {
    const std::string id = support::IdOf(wanted.job());
    const absl::StatusOr<JobRow> on = LoadJob(db, id);
    if (!on.ok()) return on.status();
    if (on->job.owner_uid() != uid) return NoSuchJob(id);
    const bool ended = IsTerminal(on->facts.state);
    if (ended && !Satisfies(on->facts.state, on->job.summary(), wanted.condition())) {
      return support::ReasonError(
          absl::StatusCode::kFailedPrecondition, support::Reason::DEPENDENCY_FAILED,
          absl::StrCat(on->job.name(), " has ended ", StateName(on->facts.state),
                       " and its kernel is not CORRECT; wait for it with --after-any instead"),
          {{"job", on->job.name()}});
    }
    SQLite::Statement s(db,
                        "INSERT OR IGNORE INTO dependency (job_id, on_id, condition, met) "
                        "VALUES (?, ?, ?, ?)");
    s.bind(1, job_id);
    s.bind(2, on->id);
    s.bind(3, ConditionName(wanted.condition()));
    s.bind(4, ended ? 1 : 0);
    unmet += s.exec() > 0 && !ended ? 1 : 0;
  }
  if (unmet == 0) return absl::OkStatus();
  SQLite::Statement s(db, "UPDATE job SET unmet = ? WHERE id = ?");
  s.bind(1, unmet);
  s.bind(2, job_id);
  s.exec();
  return absl::OkStatus();
}

void SettleDependents(SQLite::Database& db, int64_t id, support::Instant now) {
  std::deque<int64_t> ended = {id};
  while (!ended.empty()) {
    const int64_t on_id = ended.front();
    ended.pop_front();
    const std::vector<Edge> edges = WaitingFor(db, on_id);
    if (edges.empty()) continue;
    const JobRow on = LoadJobById(db, on_id);
    for (const Edge& edge : edges) {
      if (Satisfies(on.facts.state, on.job.summary(), edge.condition)) {
        Meet(db, edge.job_id, on_id, now);
        continue;
      }
      const JobRow row = LoadJobById(db, edge.job_id);
      if (IsTerminal(row.facts.state)) continue;
      WriteChange(db, row, DecideDependencyFailed(on.job.name()), now);
      ended.push_back(edge.job_id);
    }
  }
}

void ReleaseDue(SQLite::Database& db, support::Instant now) {
  SQLite::Statement s(db,
                      "UPDATE job SET not_before_us = NULL, queue_deadline_us = queue_deadline_us + "
                      "max(0, ?1 - ready_us), ready_us = max(ready_us, ?1) "
                      "WHERE not_before_us <= ?1");
  s.bind(1, now.wall_us);
  s.exec();
}

std::optional<Unmet> FirstUnmet(SQLite::Database& db, int64_t job_id) {
  SQLite::Statement s(db,
                      "SELECT public_id, condition FROM dependency JOIN job ON job.id = on_id "
                      "WHERE job_id = ? AND met = 0 ORDER BY on_id LIMIT 1");
  s.bind(1, job_id);
  if (!s.executeStep()) return std::nullopt;
  return Unmet{absl::StrCat("jobs/", s.getColumn(0).getText()), ConditionOf(s.getColumn(1).getText())};
}

}  // namespace kernelopt::server
