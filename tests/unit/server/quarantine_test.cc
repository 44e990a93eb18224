// When devices rest, and when they go on.
#include "queue/quarantine.h"

#include "store/devices.h"
#include "store/switches.h"
#include "unit/server/store_fixture.h"

namespace kernelopt::server {
namespace {

// Of one job of user 7 for each letter, of user 8 for each capital.
DeviceFaults After(const std::string& jobs) {
  DeviceFaults faults;
  for (const char job : jobs) faults = WithOneMore(faults, {std::string(1, job), job < 'a' ? 8U : 7U, "gone"});
  return faults;
}

TEST(QuarantineRule, ThreeFaultsInARowOfMoreThanOneJob) {
  EXPECT_FALSE(NeedsQuarantine(After("ab"), {}));
  EXPECT_TRUE(NeedsQuarantine(After("abb"), {}));
  EXPECT_FALSE(NeedsQuarantine(After("aaaa"), {})) << "one job takes no device away";
  EXPECT_TRUE(NeedsQuarantine(After("aaab"), {}));
  EXPECT_FALSE(NeedsQuarantine(After("abcd"), {.faults = 0})) << "switched off";
  for (const char* end : {"WORKER_LOST", "WORKER_ERROR", "LEASE_EXPIRED"}) EXPECT_TRUE(IsFault(end)) << end;
  for (const char* end : {"RESULT", "CANCELLED", "RUN_TIMEOUT", "NO_PROGRESS", "RECALLED", "HOST_REBOOTED", ""}) {
    EXPECT_FALSE(IsFault(end)) << end;
  }
}

TEST(QuarantineRule, FaultsOfOneUserAreThatUsersAlone) {
  EXPECT_EQ(QuarantinedUser(After("abc")), std::optional<uint32_t>(7));
  EXPECT_EQ(QuarantinedUser(After("abcD")), std::nullopt);
  EXPECT_EQ(QuarantinedUser(WithOneMore({}, {"r", 0, ""})), std::optional<uint32_t>(0)) << "root is a user too";
}

class Quarantine : public StoreTest {
 protected:
  Quarantine() {
    EXPECT_TRUE(Write([](SQLite::Database& db) {
      v1::Device device;
      device.set_name("devices/host");
      PutDevice(db, device, 1);
      return absl::OkStatus();
    }).ok());
  }
  // Its worker dies.
  bool Lose(const JobRow& row) {
    return Write([&](SQLite::Database& db) -> absl::Status {
      const auto change = DecideLeaseEnd(row.facts, row.facts.epoch, LeaseEnd::kWorkerLost, "");
      if (!change.ok()) return change.status();
      EndLease(db, row, *change, {now_, policy_.half_life_us, 0, policy_.quarantine});
      return absl::OkStatus();
    }).ok();
  }
  // The next job is leased, and lost.
  bool Fault() {
    const auto row = ClaimOne();
    return row && Lose(*row);
  }
  v1::Device Device() {
    v1::Device device;
    EXPECT_TRUE(database_->ReadAndWait([&](SQLite::Database& db) {
      device = LoadDevice(db, "devices/host", now_.wall_us).value();
      return absl::OkStatus();
    }).ok());
    return device;
  }
  // Three faults of two jobs (one job has three attempts).
  void Break() {
    Create();
    Create();
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(Fault()) << i;
  }
};

TEST_F(Quarantine, NothingStartsUntilItIsOverAndThenOneJobIsTried) {
  Break();
  EXPECT_FALSE(ClaimOne());
  const v1::Device resting = Device();
  EXPECT_EQ(resting.quarantined_until().seconds(), now_.wall_us / 1'000'000 + 600);
  EXPECT_NE(resting.fault().find("koptctl device resume host"), std::string::npos) << resting.fault();
  Pass(599);
  EXPECT_FALSE(ClaimOne());
  Pass(2);
  EXPECT_FALSE(Device().has_quarantined_until());
  EXPECT_EQ(Device().fault(), "");
  EXPECT_TRUE(Fault());
  EXPECT_TRUE(Device().has_quarantined_until()) << "the first fault after it is one too many";
}

// Bug: whoever could make workers fail took the device away from everybody.
TEST_F(Quarantine, OthersGoOnUntilOneOfTheirsFaultsToo) {
  Break();
  EXPECT_EQ(Device().quarantined_uid(), 1000U);
  Create(AskAs(2000));
  const auto row = ClaimOne();
  ASSERT_TRUE(row);
  EXPECT_EQ(row->job.owner_uid(), 2000U);
  EXPECT_TRUE(Lose(*row));
  EXPECT_FALSE(ClaimOne());
  EXPECT_TRUE(Device().has_quarantined_until());
  EXPECT_FALSE(Device().has_quarantined_uid()) << "everybody's";
}

TEST_F(Quarantine, AResultForgetsTheFaultsBefore) {
  Break();
  Pass(601);
  const auto row = ClaimOne();
  ASSERT_TRUE(row);
  EXPECT_TRUE(Finish(row->job.name().substr(5), row->facts.epoch).ok());
  Create();
  EXPECT_TRUE(Fault());
  EXPECT_FALSE(Device().has_quarantined_until());
}

TEST_F(Quarantine, ResumeEndsItAndTheAuditTellsOfBoth) {
  Break();
  EXPECT_TRUE(Write([](SQLite::Database& db) { return SetDrain(db, "devices/host", std::nullopt); }).ok());
  EXPECT_FALSE(Device().has_quarantined_until());
  EXPECT_TRUE(ClaimOne());
  v1::ListAuditEventsResponse audit;
  EXPECT_TRUE(database_->ReadAndWait([&](SQLite::Database& db) { return ListAudit(db, {}, audit); }).ok());
  ASSERT_EQ(audit.events_size(), 1);
  EXPECT_EQ(audit.events(0).action(), "QUARANTINE_DEVICE");
}

}  // namespace
}  // namespace kernelopt::server
