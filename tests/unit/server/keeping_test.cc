// What must survive: upgrades of old files, backups, restores, archives.
#include <atomic>
#include <fstream>
#include <thread>

#include "store/archive.h"
#include "store/devices.h"
#include "store/health.h"
#include "store/migrations.h"
#include "store/switches.h"
#include "unit/server/store_fixture.h"

namespace kernelopt::server {
namespace {

namespace fs = std::filesystem;

// A file of each released version, written by that version's daemon.
class Upgrade : public testing::Test {
 protected:
  ~Upgrade() override {
    database_.reset();
    fs::remove_all(directory_);
  }
  void Open(int version) {
    ASSERT_NE(mkdtemp(directory_.data()), nullptr);
    const std::string path = directory_ + "/kernelopt.db", name = "v" + std::to_string(version);
    fs::copy_file(std::string(KOPT_TESTS_DIR) + "/golden/db/" + name + ".db", path);
    auto database = Database::Open({path});
    ASSERT_TRUE(database.ok()) << database.status();
    database_ = *std::move(database);
    EXPECT_TRUE(fs::exists(path + "." + name)) << "a copy is kept";
  }

  std::string directory_ = "/tmp/kopt-upgrade-XXXXXX";
  std::unique_ptr<Database> database_;
};

TEST_F(Upgrade, AFileOfVersionOneIsBroughtUpWithEverythingInIt) {
  ASSERT_NO_FATAL_FAILURE(Open(1));
  std::map<std::string, v1::JobState> states;
  QueuePolicy policy;
  EXPECT_TRUE(database_->WriteAndWait([&](SQLite::Database& db) -> absl::Status {
    EXPECT_EQ(db.execAndGet("PRAGMA user_version").getInt(), static_cast<int>(SchemaVersions().size()));
    const auto page = ListJobRows(db, {}, 0);
    for (const v1::Job& job : page->jobs) states[job.spec().label()] = job.state();
    const JobRow done = LoadJob(db, page->jobs.back().name().substr(5), With::kAttempts).value();
    EXPECT_EQ(LoadResult(db, done)->subjects_size(), 2);
    EXPECT_EQ(done.job.attempts(0).end_reason(), "RESULT");
    policy.quota.set_queued_jobs(1000);
    EXPECT_EQ(LimitsOf(db, 1234, policy.quota).queued_jobs(), 7) << "a quota that was set";
    EXPECT_GT(LoadAccount(db, 0).blob_bytes, 0) << "counted anew";
    // What waited is claimable as before.
    const auto claimed = ClaimNext(db, {"w", "boot", "GPU-00000000", {1, 1}}, policy);
    EXPECT_TRUE(claimed && claimed->job.spec().label() == "golden-queued");
    return FullCheck(db);
  }).ok());
  EXPECT_EQ(states["golden-succeeded"], v1::JOB_STATE_SUCCEEDED);
  EXPECT_EQ(states["golden-held"], v1::JOB_STATE_HELD);
  EXPECT_EQ(states["golden-cancelled"], v1::JOB_STATE_CANCELLED);
  EXPECT_EQ(states["golden-queued"], v1::JOB_STATE_QUEUED);
}

TEST_F(Upgrade, AFileOfVersionTwoKeepsItsDevicesAndTheirDrains) {
  ASSERT_NO_FATAL_FAILURE(Open(2));
  EXPECT_TRUE(database_->WriteAndWait([&](SQLite::Database& db) -> absl::Status {
    const v1::Device device = LoadDevice(db, "devices/GPU-00000000", 1).value();
    EXPECT_EQ(device.model(), "Golden GPU");
    EXPECT_EQ(device.drain_reason(), "golden drain");
    EXPECT_EQ(device.fault(), "");
    EXPECT_FALSE(ClaimNext(db, {"w", "boot", "GPU-00000000", {1, 1}}, {})) << "still drained";
    EXPECT_TRUE(SetDrain(db, device.name(), std::nullopt).ok());
    EXPECT_TRUE(ClaimNext(db, {"w", "boot", "GPU-00000000", {1, 1}}, {}));
    return FullCheck(db);
  }).ok());
}

class Keeping : public StoreTest {
 protected:
  Keeping() : blobs_(BlobFiles::Open(directory_ + "/blobs").value()), logs_(directory_, 1000) {}
  absl::Status Read(const Database::Work& work) { return database_->ReadAndWait(work); }
  // Puts the bytes of kDigest's stand-in where the store says they are.
  void WriteBlob(const std::string& digest) {
    fs::create_directories(directory_ + "/blobs/" + digest.substr(0, 2));
    std::ofstream(directory_ + "/blobs/" + digest.substr(0, 2) + "/" + digest) << "bytes";
  }
  std::string Ended(v1::Verdict verdict = v1::VERDICT_CORRECT) {
    const std::string id = Create();
    const auto row = ClaimOne();
    EXPECT_TRUE(Finish(id, row->facts.epoch, verdict).ok());
    return id;
  }
  absl::StatusOr<Archived> Archive() {
    absl::StatusOr<Archived> moved = Archived{};
    EXPECT_TRUE(Read([&](SQLite::Database& db) {
      moved = ArchiveEnded(*database_, db, blobs_, logs_,
                           {directory_ + "/archive", now_.wall_us + 1, 0, now_.wall_us});
      return absl::OkStatus();
    }).ok());
    return moved;
  }

  BlobFiles blobs_;
  LogFiles logs_;
};

TEST_F(Keeping, AnArchiveHasAllOfAJobAndTheLiveFileKnowsWhere) {
  WriteBlob(kDigest);
  const std::string old = Ended(), live = Create();
  ASSERT_TRUE(logs_.Append(old, 1, 0, "compiler says hello").ok());
  const auto moved = Archive();
  ASSERT_TRUE(moved.ok()) << moved.status();
  EXPECT_EQ(moved->jobs, 1);
  EXPECT_TRUE(Read([&](SQLite::Database& db) {
    EXPECT_FALSE(LoadJob(db, old).ok());
    EXPECT_TRUE(LoadJob(db, live).ok());
    EXPECT_EQ(ArchiveOf(db, old), moved->file);
    EXPECT_FALSE(ArchiveOf(db, live).has_value());
    int64_t succeeded = 0;
    for (const auto& count : JobCounts(db)) succeeded += count.state() == "SUCCEEDED" ? count.count() : 0;
    EXPECT_EQ(succeeded, 0);
    return FullCheck(db);
  }).ok());
  SQLite::Database archive(directory_ + "/archive/" + moved->file);
  const JobRow row = LoadJob(archive, old, With::kAttempts).value();
  EXPECT_EQ(row.job.attempts_size(), 1);
  EXPECT_TRUE(LoadResult(archive, row).ok());
  EXPECT_NE(ArchivedLog(archive, old).find("hello"), std::string::npos);
  EXPECT_EQ(archive.execAndGet("SELECT CAST(bytes AS TEXT) FROM archived_bytes WHERE name LIKE 'blobs/%'").getString(), "bytes");
  EXPECT_EQ(Archive()->jobs, 0) << "nothing is left to move";
}

TEST_F(Keeping, WhatAJobWaitedForGoesWithIt) {
  WriteBlob(kDigest);
  const std::string first = Ended();
  Admission after = Ask();
  after.spec.add_after()->set_job("jobs/" + first);
  const std::string second = Create(after);
  EXPECT_TRUE(Finish(second, ClaimOne()->facts.epoch).ok());
  Create();
  const auto moved = Archive();
  ASSERT_TRUE(moved.ok()) << moved.status();
  EXPECT_EQ(moved->jobs, 2);
  EXPECT_TRUE(Read([&](SQLite::Database& db) {
    EXPECT_EQ(db.execAndGet("SELECT count(*) FROM dependency").getInt(), 0);
    return absl::OkStatus();
  }).ok());
}

// SQLite gives the id of a deleted newest row away again: the search index and a
// second archive would mistake one job for another.
TEST_F(Keeping, TheNewestJobIsNotArchivedSoThatNoIdComesTwice) {
  WriteBlob(kDigest);
  const std::string first = Ended(), newest = Ended();
  EXPECT_EQ(Archive()->jobs, 1);
  EXPECT_EQ(Load(newest).job.state(), v1::JOB_STATE_SUCCEEDED);
  const int64_t id = Load(newest).id;
  EXPECT_GT(Load(Create()).id, id);
}

TEST_F(Keeping, ARequestIdIsRememberedForAWeek) {
  WriteBlob(kDigest);
  now_.wall_us = int64_t{100} * 86'400'000'000;
  const std::string asked = Create(Ask("request"));
  ClaimOne();
  EXPECT_TRUE(Finish(asked, 1).ok());
  Create();
  EXPECT_EQ(Archive()->jobs, 0);
  now_.wall_us += int64_t{8} * 86'400'000'000;
  EXPECT_EQ(Archive()->jobs, 1);
}

TEST_F(Keeping, ABackupEndsWhileJobsKeepComing) {
  for (int i = 0; i < 300; ++i) Create();
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) Create();
  });
  absl::Status copied = absl::UnknownError("never ended");
  database_->ReadLong([&](SQLite::Database& db) { return CopyAndCheck(db, directory_ + "/b.db").status(); },
                      [&](const absl::Status& status) {
                        copied = status;
                        stop = true;
                      });
  busy.join();  // waits for the backup
  EXPECT_TRUE(copied.ok()) << copied;
}

TEST_F(Keeping, AFailedCopyLeavesNoHalfFile) {
  fs::create_directories(directory_ + "/b.db");  // rename over a folder fails
  EXPECT_FALSE(Read([&](SQLite::Database& db) { return CopyAndCheck(db, directory_ + "/b.db").status(); }).ok());
  EXPECT_FALSE(fs::exists(directory_ + "/b.db.partial"));
}

TEST_F(Keeping, AJobThatOthersWaitForStays) {
  WriteBlob(kDigest);
  const std::string first = Create(), second = Create();
  Admission both = Ask();
  both.spec.add_after()->set_job("jobs/" + first);
  both.spec.add_after()->set_job("jobs/" + second);
  Create(both);
  ClaimOne();
  EXPECT_TRUE(Finish(first, 1).ok());
  EXPECT_EQ(Archive()->jobs, 0);
}

TEST_F(Keeping, AJobWhoseSourceIsLostIsNotArchivedAndStays) {
  const std::string old = Ended();  // no file under blobs/
  Create();
  EXPECT_FALSE(Archive().ok());
  EXPECT_EQ(Load(old).job.state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_TRUE(fs::is_empty(directory_ + "/archive"));
}

TEST_F(Keeping, ARestoredBackupVoidsTheLeasesOfBefore) {
  const std::string done = Ended(), leased = Create();
  ClaimOne();
  fs::create_directories(directory_ + "/backups");
  const std::string backup = directory_ + "/backups/kernelopt-5.db";
  ASSERT_TRUE(Read([&](SQLite::Database& db) { return CopyAndCheck(db, backup).status(); }).ok());
  const std::string later = Create();
  database_.reset();
  fs::rename(directory_ + "/k.db", directory_ + "/kernelopt.db");
  ASSERT_TRUE(Restore(directory_, backup).ok());
  database_ = Database::Open({directory_ + "/kernelopt.db"}).value();
  EXPECT_EQ(Load(done).job.state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_TRUE(Read([&](SQLite::Database& db) {
    EXPECT_FALSE(LoadJob(db, later).ok()) << "made after the backup";
    return absl::OkStatus();
  }).ok());
  EXPECT_EQ(support::DetailOf(Finish(leased, 1)).reason(), "LEASE_LOST");
  EXPECT_EQ(support::DetailOf(Finish(leased, 2)).reason(), "LEASE_LOST") << "given out after the backup";
  size_t aside = 0;
  for (const auto& entry : fs::directory_iterator(directory_)) {
    aside += entry.path().filename().string().rfind("kernelopt.db.replaced-", 0) == 0 ? 1 : 0;
  }
  EXPECT_GE(aside, 1u) << "the replaced database is kept";
}

TEST_F(Keeping, ADamagedOrForeignBackupIsRefusedAndTheLiveFileStays) {
  const std::string backup = directory_ + "/b.db";
  ASSERT_TRUE(Read([&](SQLite::Database& db) { return CopyAndCheck(db, backup).status(); }).ok());
  database_.reset();
  fs::rename(directory_ + "/k.db", directory_ + "/kernelopt.db");
  std::fstream file(backup, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(4096 * 3 + 5);
  file << std::string(3000, 'x');
  file.close();
  EXPECT_TRUE(absl::IsFailedPrecondition(Restore(directory_, backup)));
  std::ofstream(directory_ + "/other.db") << "";
  EXPECT_TRUE(absl::IsFailedPrecondition(Restore(directory_, directory_ + "/other.db")));
  EXPECT_TRUE(absl::IsFailedPrecondition(Restore(directory_, directory_ + "/none.db")));
  EXPECT_TRUE(fs::exists(directory_ + "/kernelopt.db"));
}

// The bug: quick_check is one step of SQLite's machine, so a daemon with a
// million jobs took a minute and a half to start.
TEST_F(Keeping, ACheckOfALargeFileIsGivenUpInTime) {
  const std::string path = directory_ + "/large.db";
  SQLite::Database db(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  db.exec("PRAGMA journal_mode=OFF");
  db.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)");
  db.exec("CREATE INDEX i ON t (b)");
  db.exec("INSERT INTO t WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 200000) "
          "SELECT x, printf('%08x', x * 2654435761 % 4294967296) || hex(zeroblob(50)) FROM c");
  const auto check = [&](double limit_s) {
    const double begin_s = support::MonotonicSeconds();
    EXPECT_TRUE(QuickCheck(db, path, limit_s).ok());
    return support::MonotonicSeconds() - begin_s;
  };
  check(60);  // into the page cache of the system
  const double whole_s = check(60);
  double limited_s = whole_s;  // the best of some: a busy machine may be late once
  for (int i = 0; i < 10 && limited_s >= whole_s / 2; ++i) limited_s = std::min(limited_s, check(whole_s / 20));
  EXPECT_LT(limited_s, whole_s / 2);
  // No time at all: the first interrupt comes before the check has begun.
  double none_s = whole_s;
  for (int i = 0; i < 10 && none_s >= whole_s / 2; ++i) none_s = std::min(none_s, check(0));
  EXPECT_LT(none_s, whole_s / 2);
  EXPECT_EQ(db.execAndGet("SELECT count(*) FROM t").getInt(), 200000) << "what comes next is not interrupted";
}

TEST_F(Keeping, ACorruptPageInTheMiddleIsFoundAtTheStartAndTheRestoreIsNamed) {
  for (int i = 0; i < 50; ++i) Create();
  fs::create_directories(directory_ + "/backups");
  const std::string backup = directory_ + "/backups/kernelopt-7.db";
  ASSERT_TRUE(Read([&](SQLite::Database& db) { return CopyAndCheck(db, backup).status(); }).ok());
  database_.reset();
  std::fstream file(directory_ + "/k.db", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(4096 * 10);
  file << std::string(2000, '\xff');
  file.close();
  const auto opened = Database::Open({directory_ + "/k.db"});
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(std::string(opened.status().message()).find("--restore " + backup), std::string::npos)
      << opened.status();
}

}  // namespace
}  // namespace kernelopt::server
