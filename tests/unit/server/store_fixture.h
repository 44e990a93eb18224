// A store of its own, with a clock that stands still until told otherwise.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "queue/admit.h"
#include "store/accounts.h"
#include "store/blob_rows.h"
#include "store/database.h"
#include "store/jobs.h"
#include "store/leases.h"
#include "support/status.h"

namespace kernelopt::server {

inline const std::string kDigest(64, 'a');

class StoreTest : public testing::Test {
 protected:
  StoreTest() {
    std::string name = "/tmp/kopt-store-XXXXXX";
    directory_ = mkdtemp(name.data());
    Open();
    EXPECT_TRUE(Write([](SQLite::Database& db) {
                  return AddBlob(db, kDigest, 3, 1000, 0, 1);
                }).ok());
  }
  ~StoreTest() override {
    database_.reset();
    std::filesystem::remove_all(directory_);
  }
  void Open() { database_ = Database::Open({directory_ + "/k.db"}).value(); }
  absl::Status Write(Database::Work work) { return database_->WriteAndWait(std::move(work)); }

  // What user 1000 submits at `now_`.
  Admission Ask(const std::string& request_id = "", v1::Priority priority = v1::PRIORITY_NORMAL) const {
    Admission a;
    a.uid = 1000;
    v1::JobSpec& spec = a.spec;
    spec.mutable_problem()->mutable_reference()->set_digest(kDigest);
    spec.set_device("host");
    spec.set_priority(priority);
    spec.mutable_limits()->mutable_queue()->set_seconds(10);
    a.request_id = request_id;
    a.request_digest = "d";
    a.now_us = now_.wall_us;
    return a;
  }
  // The same by another user.
  Admission AskAs(uint32_t uid, v1::Priority priority = v1::PRIORITY_NORMAL) {
    Admission a = Ask("", priority);
    a.uid = uid;
    EXPECT_TRUE(Write([&](SQLite::Database& db) { return AddBlob(db, kDigest, 3, uid, 0, 1); }).ok());
    return a;
  }
  std::string Create() { return Create(Ask()); }
  absl::Status Refusal(const Admission& admission) {
    return Write([&](SQLite::Database& db) { return Admit(db, admission, policy_).status(); });
  }
  std::string Create(const Admission& admission) {
    std::string id;
    EXPECT_TRUE(Write([&](SQLite::Database& db) {
      const auto made = Admit(db, admission, policy_);
      if (made.ok()) id = *made;
      return made.status();
    }).ok());
    return id;
  }
  std::optional<JobRow> ClaimOne(const std::string& device = "host") {
    std::optional<JobRow> row;
    EXPECT_TRUE(Write([&](SQLite::Database& db) {
      row = ClaimNext(db, {"w1", "boot", device, now_}, policy_);
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
  absl::Status Finish(const std::string& id, int64_t epoch, v1::Verdict verdict = v1::VERDICT_CORRECT) {
    return Write([&](SQLite::Database& db) -> absl::Status {
      const JobRow row = LoadJob(db, id).value();
      const auto change = DecideResult(row.facts, epoch);
      if (!change.ok()) return change.status();
      v1::JobResult result;
      result.set_protocol("kopt-1");
      result.add_subjects()->set_verdict(verdict);
      result.mutable_subjects(0)->set_role("candidate");
      InsertResult(db, row, *change, result, {now_, policy_.half_life_us, 0});
      return absl::OkStatus();
    });
  }

  void Pass(double seconds) {
    now_.wall_us += static_cast<int64_t>(seconds * 1e6);
    now_.boot_us += static_cast<int64_t>(seconds * 1e6);
  }

  support::Instant now_{5'000'000, 1'000'000};
  QueuePolicy policy_;
  std::string directory_;
  std::unique_ptr<Database> database_;
};

}  // namespace kernelopt::server
