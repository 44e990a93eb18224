#include <algorithm>
#include <atomic>

#include "store/migrations.h"
#include "store/switches.h"
#include "unit/server/store_fixture.h"

namespace kernelopt::server {
namespace {

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
  const absl::Status reused = Refusal(other);
  EXPECT_EQ(support::DetailOf(reused).reason(), "REQUEST_ID_REUSED");
  Admission someone_else = Ask("r1");
  someone_else.uid = 0;
  someone_else.retry_of = "jobs/x";  // needs no blobs of its own
  EXPECT_NE(Create(someone_else), id);
}

TEST_F(StoreTest, BlobsOfOthersCannotBeNamed) {
  Admission thief = Ask();
  thief.uid = 1001;
  const absl::Status status = Refusal(thief);
  EXPECT_EQ(support::DetailOf(status).reason(), "BLOB_MISSING");
  EXPECT_EQ(support::DetailOf(status).metadata().at("missing"), kDigest);
}

TEST_F(StoreTest, TheLimitOfWaitingJobsHoldsAtItsEdge) {
  policy_.quota.set_queued_jobs(2);
  Create();
  Create();
  const absl::Status third = Refusal(Ask());
  EXPECT_EQ(support::DetailOf(third).reason(), "QUEUED_JOBS_LIMIT");
  EXPECT_EQ(Finish(ClaimOne()->job.name().substr(5), 1).ok(), true);
  Create();
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
          SetLimit(db, static_cast<uint32_t>(i), "queued_jobs", 5);
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
    EXPECT_TRUE(AddBlob(db, other, 1, 1000, 0, 10).ok());
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

}  // namespace
}  // namespace kernelopt::server
