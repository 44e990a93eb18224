#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "queue/admit.h"
#include "store/catalog.h"
#include "store/database.h"
#include "store/jobs.h"
#include "store/migrations.h"
#include "support/status.h"

namespace kernelopt::server {
namespace {

const std::string kDigest(64, 'a');

class StoreTest : public testing::Test {
 protected:
  StoreTest() {
    std::string name = "/tmp/kopt-store-XXXXXX";
    directory_ = mkdtemp(name.data());
    Open();
    EXPECT_TRUE(Write([](SQLite::Database& db) {
                  AddBlob(db, kDigest, 3, 1000, 1);
                  return absl::OkStatus();
                }).ok());
  }
  ~StoreTest() override {
    database_.reset();
    std::filesystem::remove_all(directory_);
  }
  void Open() { database_ = Database::Open({directory_ + "/k.db"}).value(); }
  absl::Status Write(Database::Work work) { return database_->WriteAndWait(std::move(work)); }

  static Admission Ask(const std::string& request_id = "", v1::Priority priority = v1::PRIORITY_NORMAL) {
    Admission a;
    a.uid = 1000;
    v1::JobSpec& spec = a.spec;
    spec.mutable_problem()->mutable_reference()->set_digest(kDigest);
    spec.set_device("host");
    spec.set_priority(priority);
    spec.mutable_limits()->mutable_queue()->set_seconds(10);
    a.request_id = request_id;
    a.request_digest = "d";
    a.now_us = 5'000'000;
    return a;
  }
  std::string Create(const Admission& admission = Ask()) {
    std::string id;
    EXPECT_TRUE(Write([&](SQLite::Database& db) {
      const auto made = Admit(db, admission);
      if (made.ok()) id = *made;
      return made.status();
    }).ok());
    return id;
  }
  std::optional<JobRow> ClaimOne() {
    std::optional<JobRow> row;
    EXPECT_TRUE(Write([&](SQLite::Database& db) {
      row = ClaimNext(db, {"w1", "boot", "host", 6'000'000, 1});
      return absl::OkStatus();
    }).ok());
    return row;
  }
  JobRow Load(const std::string& id) {
    std::optional<JobRow> row;
    EXPECT_TRUE(database_->ReadAndWait([&](SQLite::Database& db) {
      row = LoadJob(db, id, With::kAttempts).value();
      return absl::OkStatus();
    }).ok());
    return *row;
  }
  absl::Status Finish(const std::string& id, int64_t epoch) {
    return Write([&](SQLite::Database& db) -> absl::Status {
      const JobRow row = LoadJob(db, id).value();
      const auto change = DecideResult(row.facts, epoch);
      if (!change.ok()) return change.status();
      v1::JobResult result;
      result.set_protocol("kopt-1");
      InsertResult(db, row, *change, result, 7'000'000);
      return absl::OkStatus();
    });
  }

  std::string directory_;
  std::unique_ptr<Database> database_;
};

TEST_F(StoreTest, AJobIsThereAfterReopening) {
  const std::string id = Create();
  database_.reset();
  Open();
  EXPECT_EQ(Load(id).job.state(), v1::JOB_STATE_QUEUED);
}

TEST_F(StoreTest, PriorityGoesBeforeAgeAndAgeDecidesInsideAClass) {
  const std::string batch = Create(Ask("", v1::PRIORITY_BATCH)), first = Create(), second = Create(),
                    urgent = Create(Ask("", v1::PRIORITY_INTERACTIVE));
  for (const std::string& expected : {urgent, first, second, batch}) {
    EXPECT_EQ(ClaimOne()->job.name(), "jobs/" + expected);
  }
  EXPECT_FALSE(ClaimOne().has_value());
}

TEST_F(StoreTest, SameRequestIdIsTheSameJobOtherContentIsAnError) {
  const std::string id = Create(Ask("r1"));
  EXPECT_EQ(Create(Ask("r1")), id);
  Admission other = Ask("r1");
  other.request_digest = "e";
  const absl::Status reused = Write([&](SQLite::Database& db) { return Admit(db, other).status(); });
  EXPECT_EQ(support::DetailOf(reused).reason(), "REQUEST_ID_REUSED");
  Admission someone_else = Ask("r1");
  someone_else.uid = 0;
  someone_else.retry_of = "jobs/x";  // needs no blobs of its own
  EXPECT_NE(Create(someone_else), id);
}

TEST_F(StoreTest, BlobsOfOthersCannotBeNamed) {
  Admission thief = Ask();
  thief.uid = 1001;
  const absl::Status status = Write([&](SQLite::Database& db) { return Admit(db, thief).status(); });
  EXPECT_EQ(support::DetailOf(status).reason(), "BLOB_MISSING");
  EXPECT_EQ(support::DetailOf(status).metadata().at("missing"), kDigest);
}

TEST_F(StoreTest, TheLimitOfWaitingJobsHoldsAtItsEdge) {
  Admission limited = Ask();
  limited.queued_jobs_limit = 2;
  Create(limited);
  Create(limited);
  const absl::Status third = Write([&](SQLite::Database& db) { return Admit(db, limited).status(); });
  EXPECT_EQ(support::DetailOf(third).reason(), "QUEUED_JOBS_LIMIT");
  EXPECT_EQ(Finish(ClaimOne()->job.name().substr(5), 1).ok(), true);
  Create(limited);
}

TEST_F(StoreTest, AResultIsAcceptedOnceAndOnlyFromTheLiveEpoch) {
  const std::string id = Create();
  const auto row = ClaimOne();
  EXPECT_EQ(support::DetailOf(Finish(id, row->facts.epoch + 1)).reason(), "LEASE_LOST");
  EXPECT_EQ(support::DetailOf(Finish(id, row->facts.epoch - 1)).reason(), "LEASE_LOST");
  EXPECT_TRUE(Finish(id, row->facts.epoch).ok());
  EXPECT_EQ(support::DetailOf(Finish(id, row->facts.epoch)).reason(), "LEASE_LOST");
  EXPECT_EQ(Load(id).job.state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_EQ(Load(id).job.attempts(0).end_reason(), "RESULT");
}

TEST_F(StoreTest, EveryChangeRaisesTheRevisionAndIsAnEvent) {
  const std::string id = Create();
  ClaimOne();
  EXPECT_TRUE(Finish(id, 1).ok());
  EXPECT_EQ(Load(id).job.revision(), 3);
  int events = 0;
  EXPECT_TRUE(database_->ReadAndWait([&](SQLite::Database& db) {
    events = db.execAndGet("SELECT count(*) FROM event").getInt();
    return absl::OkStatus();
  }).ok());
  EXPECT_EQ(events, 3);
}

TEST_F(StoreTest, CountsFollowTheStates) {
  Create();
  Create();
  ClaimOne();
  std::map<std::string, int64_t> counts;
  EXPECT_TRUE(database_->ReadAndWait([&](SQLite::Database& db) {
    for (const auto& count : JobCounts(db)) counts[count.state()] = count.count();
    return absl::OkStatus();
  }).ok());
  EXPECT_EQ(counts["QUEUED"], 1);
  EXPECT_EQ(counts["LEASED"], 1);
  EXPECT_EQ(counts.size(), 9u);
}

TEST_F(StoreTest, AFailedItemOfAGroupTakesNothingOfItsNeighbours) {
  std::atomic<int> ok{0}, failed{0};
  for (int i = 0; i < 100; ++i) {
    database_->Write(
        [i](SQLite::Database& db) -> absl::Status {
          SetQueuedJobsLimit(db, static_cast<uint32_t>(i), 5);
          return i % 3 == 0 ? absl::InternalError("no") : absl::OkStatus();
        },
        [&](const absl::Status& status) { ++(status.ok() ? ok : failed); });
  }
  EXPECT_TRUE(Write([](SQLite::Database&) { return absl::OkStatus(); }).ok());
  EXPECT_EQ(ok, 66);
  EXPECT_EQ(failed, 34);
  int rows = 0;
  EXPECT_TRUE(database_->ReadAndWait([&](SQLite::Database& db) {
    rows = db.execAndGet("SELECT count(*) FROM quota").getInt();
    return absl::OkStatus();
  }).ok());
  EXPECT_EQ(rows, 66);
  EXPECT_LT(database_->groups().commits, database_->groups().items);
}

TEST_F(StoreTest, ReadersCannotWrite) {
  const absl::Status status = database_->ReadAndWait([](SQLite::Database& db) {
    SetPause(db, "x");
    return absl::OkStatus();
  });
  EXPECT_FALSE(status.ok());
}

TEST_F(StoreTest, TheSchemaItselfRefusesNonsense) {
  const std::string id = Create();
  for (const char* sql : {"UPDATE job SET state = 'SUCCEEDED'", "UPDATE job SET state = 'LEASED'",
                          "UPDATE job SET state = 'DANCING'", "UPDATE job SET finished_us = 1",
                          "UPDATE job SET priority = 9"}) {
    EXPECT_FALSE(Write([&](SQLite::Database& db) {
      db.exec(sql);
      return absl::OkStatus();
    }).ok()) << sql;
  }
}

TEST_F(StoreTest, StaleBlobsGoPinnedOnesStay) {
  Create();
  const std::string other(64, 'b');
  std::vector<std::string> dropped;
  EXPECT_TRUE(Write([&](SQLite::Database& db) {
    AddBlob(db, other, 1, 1000, 10);
    dropped = DropStaleBlobs(db, 10);
    EXPECT_TRUE(dropped.empty());
    dropped = DropStaleBlobs(db, 11);
    EXPECT_FALSE(OwnsBlob(db, other, 1000));
    return absl::OkStatus();
  }).ok());
  EXPECT_EQ(dropped, std::vector<std::string>{other});
}

TEST_F(StoreTest, PagesFollowEachOther) {
  for (int i = 0; i < 5; ++i) Create();
  v1::ListJobsRequest request;
  request.set_page_size(2);
  std::vector<std::string> seen;
  for (int page = 0; page < 3; ++page) {
    EXPECT_TRUE(database_->ReadAndWait([&](SQLite::Database& db) {
      const auto rows = ListJobRows(db, request, 1000);
      for (const v1::Job& job : rows->jobs) seen.push_back(job.name());
      request.set_page_token(rows->next_page_token);
      return absl::OkStatus();
    }).ok());
  }
  EXPECT_EQ(seen.size(), 5u);
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end());
  request.set_page_token("nonsense");
  EXPECT_FALSE(database_->ReadAndWait([&](SQLite::Database& db) { return ListJobRows(db, request, 0).status(); }).ok());
}

TEST_F(StoreTest, ANewerFileIsRefusedWithItsVersion) {
  EXPECT_TRUE(Write([](SQLite::Database& db) {
    db.exec("PRAGMA user_version=99");
    return absl::OkStatus();
  }).ok());
  database_.reset();
  const auto opened = Database::Open({directory_ + "/k.db"});
  EXPECT_TRUE(absl::IsFailedPrecondition(opened.status()));
  EXPECT_NE(std::string(opened.status().message()).find("99"), std::string::npos);
}

TEST_F(StoreTest, ADamagedFileIsRefusedWithAdvice) {
  database_.reset();
  FILE* file = std::fopen((directory_ + "/k.db").c_str(), "r+");
  std::fseek(file, 0, SEEK_SET);
  std::fputs("this is not a database at all, is it", file);
  std::fclose(file);
  const auto opened = Database::Open({directory_ + "/k.db"});
  EXPECT_TRUE(absl::IsFailedPrecondition(opened.status())) << opened.status();
  EXPECT_NE(std::string(opened.status().message()).find("backups"), std::string::npos);
}

TEST_F(StoreTest, HotQueriesUseTheirIndex) {
  for (const char* sql :
       {"SELECT id FROM job WHERE device = 'host' AND state = 'QUEUED' ORDER BY priority, id LIMIT 1",
        "SELECT public_id FROM job WHERE state IN ('LEASED','RUNNING') AND device = 'host'",
        "SELECT public_id FROM job WHERE state IN ('QUEUED','HELD') AND queue_deadline_us <= 1",
        "SELECT count(*) FROM job WHERE owner_uid = 1 AND state IN ('QUEUED','HELD','LEASED','RUNNING')"}) {
    EXPECT_TRUE(database_->ReadAndWait([&](SQLite::Database& db) {
      SQLite::Statement plan(db, std::string("EXPLAIN QUERY PLAN ") + sql);
      while (plan.executeStep()) {
        const std::string step = plan.getColumn(3).getText();
        EXPECT_EQ(step.find("SCAN job") != std::string::npos && step.find("INDEX") == std::string::npos, false) << sql << step;
        EXPECT_EQ(step.find("TEMP B-TREE"), std::string::npos) << sql << step;
      }
      return absl::OkStatus();
    }).ok());
  }
}

}  // namespace
}  // namespace kernelopt::server
