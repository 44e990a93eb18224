// No hot query reads a table from end to end. The statements are those that the
// store's own functions run, caught on their way to SQLite, so that this cannot
// test other ones than are used.
#include <sqlite3.h>

#include <set>

#include "store/dependencies.h"
#include "store/devices.h"
#include "store/search.h"
#include "store/switches.h"
#include "unit/server/store_fixture.h"

namespace kernelopt::server {
namespace {

// Tables that grow with the history of the box; the others have a row per user,
// device or state.
const char* const kLarge[] = {"job", "attempt", "result", "event", "blob", "blob_owner", "job_blob",
                              "dependency", "archived_job", "audit", "j"};
// Indexes of live jobs only: short however long the history.
const char* const kShort[] = {"job_leased", "job_ready", "job_ready_age", "job_not_before", "job_deadline",
                              "job_live_owner"};

class QueryPlan : public StoreTest {
 protected:
  // Everything that `work` runs.
  std::set<std::string> Caught(const Database::Work& work) {
    std::set<std::string> statements;
    EXPECT_TRUE(Write([&](SQLite::Database& db) {
      const auto on = [](unsigned, void* out, void* statement, void*) {
        static_cast<std::set<std::string>*>(out)->insert(sqlite3_sql(static_cast<sqlite3_stmt*>(statement)));
        return 0;
      };
      sqlite3_trace_v2(db.getHandle(), SQLITE_TRACE_STMT, on, &statements);
      const absl::Status status = work(db);
      sqlite3_trace_v2(db.getHandle(), 0, nullptr, nullptr);
      return status;
    }).ok());
    return statements;
  }

  static bool Scans(const std::string& step) {
    for (const char* table : kLarge) {
      const std::string scan = std::string("SCAN ") + table;
      if (step != scan && step.rfind(scan + " ", 0) != 0) continue;
      for (const char* index : kShort) {
        if (step.find(std::string("INDEX ") + index) != std::string::npos) return false;
      }
      return true;
    }
    return false;
  }

  void ExpectNoScan(const std::set<std::string>& statements) {
    for (const std::string& sql : statements) {
      if (sql.rfind("--", 0) == 0 || sql.find("SAVEPOINT") != std::string::npos) continue;
      EXPECT_TRUE(database_->ReadAndWait([&](SQLite::Database& db) {
        SQLite::Statement plan(db, "EXPLAIN QUERY PLAN " + sql);
        while (plan.executeStep()) {
          EXPECT_FALSE(Scans(plan.getColumn(3).getText())) << plan.getColumn(3).getText() << "\n  " << sql;
        }
        return absl::OkStatus();
      }).ok()) << sql;
    }
  }
};

TEST_F(QueryPlan, OfSubmissionClaimAndResult) {
  policy_.quota.set_submissions_per_minute(100);
  policy_.quota.set_queued_jobs(100);
  policy_.quota.set_log_bytes(100);
  const std::string first = Create();
  Admission second = Ask("request");
  second.spec.add_after()->set_job("jobs/" + first);
  const auto statements = Caught([&](SQLite::Database& db) -> absl::Status {
    if (absl::Status s = Admit(db, second, policy_).status(); !s.ok()) return s;
    const auto row = ClaimNext(db, {"w", "boot", "host", now_}, policy_);
    LogRoom(db, 1000, policy_);
    const JobRow leased = LoadJob(db, row->job.name().substr(5), With::kAttempts).value();
    ApplyChange(db, leased, DecideTurn(leased.facts, leased.facts.epoch).value(), now_);
    const JobRow running = LoadJob(db, row->job.name().substr(5)).value();
    InsertResult(db, running, DecideResult(running.facts, running.facts.epoch).value(), {}, {now_, 1, 7});
    return LoadResult(db, running).status();
  });
  EXPECT_GT(statements.size(), 20u);
  ExpectNoScan(statements);
}

TEST_F(QueryPlan, OfHousekeepingStatusAndTheLine) {
  Create();
  v1::ListJobsRequest mine;
  mine.set_mine(true);
  v1::ListJobsRequest all;
  ExpectNoScan(Caught([&](SQLite::Database& db) -> absl::Status {
    int64_t seq = 0;
    EventsSince(db, seq);
    NewestEvent(db);
    LeasedJobs(db, "host");
    LeasedJobs(db, "");
    OverdueJobs(db, 1);
    ReleaseDue(db, now_);
    ShiftDeadlines(db, 1);
    IndexNewJobs(db, 10);
    DropStaleBlobs(db, 0);
    JobCounts(db);
    PauseReason(db);
    LoadDevices(db, 1);
    OldestReadyUs(db, 2);
    LoadLine(db, "host", policy_, now_.wall_us);
    WaitingDevices(db, "");
    DescribeQuota(db, 1000, policy_, now_.wall_us);
    v1::ListAuditEventsResponse audit;
    if (absl::Status s = ListAudit(db, {}, audit); !s.ok()) return s;
    return ListJobRows(db, mine, 1000).status();
  }));
}

TEST_F(QueryPlan, OfAnEndedLeaseAndItsDependents) {
  const std::string first = Create();
  Admission second = Ask();
  second.spec.add_after()->set_job("jobs/" + first);
  const std::string waits = Create(second);
  ExpectNoScan(Caught([&](SQLite::Database& db) -> absl::Status {
    FirstUnmet(db, LoadJob(db, waits)->id);
    const auto row = ClaimNext(db, {"w", "boot", "host", now_}, policy_);
    Change failed{.to = v1::JOB_STATE_FAILED, .reason = "X", .message = "x", .attempt_end = "WORKER_ERROR"};
    EndLease(db, *row, failed, {now_, 1, 0});
    return absl::OkStatus();
  }));
  EXPECT_EQ(Load(waits).job.state(), v1::JOB_STATE_CANCELLED);
}

}  // namespace
}  // namespace kernelopt::server
