// Fair shares, bounds, quotas, dependencies, times, reservations: through the
// real store, on a clock that the test turns.
#include "google/protobuf/util/time_util.h"
#include "store/dependencies.h"
#include "store/devices.h"
#include "store/search.h"
#include "store/switches.h"
#include "unit/server/store_fixture.h"

namespace kernelopt::server {
namespace {

class ManyUsers : public StoreTest {
 protected:
  ManyUsers() {
    EXPECT_TRUE(Write([&](SQLite::Database& db) {
      v1::Device device;
      device.set_name("devices/host");
      PutDevice(db, device, 1);
      return absl::OkStatus();
    }).ok());
  }
  // Claims, lets `seconds` pass, finishes; returns the owner.
  uint32_t Turn(double seconds) {
    const auto row = ClaimOne();
    if (!row) return 0;
    Pass(seconds);
    EXPECT_TRUE(Finish(row->job.name().substr(5), row->facts.epoch).ok());
    return row->job.owner_uid();
  }
  void Limit(uint32_t uid, const std::string& name, int64_t value) {
    EXPECT_TRUE(Write([&](SQLite::Database& db) {
      SetLimit(db, uid, name, value);
      return absl::OkStatus();
    }).ok());
  }
  std::string Waits(const Admission& base, const std::string& on, v1::DependencyCondition condition) {
    Admission admission = base;
    v1::Dependency& dependency = *admission.spec.add_after();
    dependency.set_job("jobs/" + on);
    dependency.set_condition(condition);
    return Create(admission);
  }
};

constexpr auto kOk = v1::DEPENDENCY_CONDITION_AFTER_OK;
constexpr auto kAny = v1::DEPENDENCY_CONDITION_AFTER_ANY;

TEST_F(ManyUsers, WhoUsedLessGoesFirstHoweverManyTheOthersQueue) {
  for (int i = 0; i < 20; ++i) Create(AskAs(1));
  Create(AskAs(2));
  Create(AskAs(2));
  EXPECT_EQ(Turn(10), 1u) << "nobody has used anything: the oldest";
  EXPECT_EQ(Turn(10), 2u);
  EXPECT_EQ(Turn(10), 1u) << "even again: the oldest";
  EXPECT_EQ(Turn(10), 2u);
  EXPECT_EQ(Turn(10), 1u);
}

TEST_F(ManyUsers, AWeightedUserGetsThatMuchMore) {
  Limit(2, "share_percent", 300);
  for (int i = 0; i < 40; ++i) {
    Create(AskAs(1));
    Create(AskAs(2));
  }
  std::map<uint32_t, int> turns;
  for (int i = 0; i < 40; ++i) ++turns[Turn(10)];
  EXPECT_EQ(turns[2], 30);
}

TEST_F(ManyUsers, PastUseIsForgottenByHalves) {
  policy_.half_life_us = 100'000'000;
  Create(AskAs(1));
  EXPECT_EQ(Turn(80), 1u);
  Pass(300);  // 80 s count as 10 now
  Create(AskAs(2));
  EXPECT_EQ(Turn(20), 2u);
  Create(AskAs(2));
  Create(AskAs(1));
  EXPECT_EQ(Turn(1), 1u);
}

TEST_F(ManyUsers, AnInteractiveJobBehindFiveThousandBatchJobsStartsNext) {
  Admission batch = AskAs(1, v1::PRIORITY_BATCH);
  ASSERT_TRUE(Write([&](SQLite::Database& db) {
    for (int i = 0; i < 5000; ++i) {
      // Flake: a name is the millisecond and 30 random bits; of five thousand in one, two were alike once in eighty runs.
      batch.now_us += 1000;
      if (absl::Status s = Admit(db, batch, policy_).status(); !s.ok()) return s;
    }
    return absl::OkStatus();
  }).ok());
  const std::string urgent = Create(AskAs(1, v1::PRIORITY_INTERACTIVE));
  EXPECT_EQ(ClaimOne()->job.name(), "jobs/" + urgent);
}

TEST_F(ManyUsers, AJobPastItsBoundGoesFirstButNeverTwiceInARow) {
  policy_.bound_us = {0, 1'000'000, 10'000'000, 100'000'000};
  for (int i = 0; i < 3; ++i) Create(AskAs(1, v1::PRIORITY_BATCH));
  Pass(101);
  for (int i = 0; i < 3; ++i) Create(AskAs(2, v1::PRIORITY_INTERACTIVE));
  std::vector<uint32_t> order;
  for (int i = 0; i < 6; ++i) order.push_back(Turn(0.1));
  EXPECT_EQ(order, (std::vector<uint32_t>{1, 2, 1, 2, 1, 2}));
}

TEST_F(ManyUsers, TheLineShownIsTheOrderInWhichJobsStart) {
  policy_.bound_us = {0, 5'000'000, 50'000'000, 500'000'000};
  for (int i = 0; i < 60; ++i) {
    Create(AskAs(static_cast<uint32_t>(1 + i % 7), static_cast<v1::Priority>(1 + i % 3)));
    Pass(1);
  }
  Limit(3, "share_percent", 250);
  EXPECT_EQ(Turn(1), 1u) << "the pace is 1 s now";
  Line line;
  ASSERT_TRUE(database_->ReadAndWait([&](SQLite::Database& db) {
    line = LoadLine(db, "host", policy_, now_.wall_us);
    return absl::OkStatus();
  }).ok());
  ASSERT_EQ(line.order.size(), 59u);
  for (size_t i = 0; i < line.order.size(); ++i) {
    const auto row = ClaimOne();
    ASSERT_TRUE(row.has_value());
    ASSERT_EQ(row->id, line.order[i].id) << "place " << i + 1;
    // The order is foretold for a time that stands still.
    const support::Instant before = now_;
    now_.boot_us += 1'000'000;
    ASSERT_TRUE(Finish(row->job.name().substr(5), row->facts.epoch).ok());
    now_ = before;
  }
}

TEST_F(ManyUsers, RunningJobsAreCountedOverAllDevices) {
  Limit(1, "running_jobs", 2);
  Admission on_gpu = AskAs(1);
  on_gpu.spec.set_device("GPU-1");
  for (int i = 0; i < 2; ++i) Create(AskAs(1));
  Create(on_gpu);
  ASSERT_TRUE(ClaimOne().has_value());
  const auto second = ClaimOne("GPU-1");
  ASSERT_TRUE(second.has_value());
  EXPECT_FALSE(ClaimOne().has_value());
  Create(AskAs(2));
  EXPECT_EQ(ClaimOne()->job.owner_uid(), 2u) << "others are not held up";
  EXPECT_TRUE(Finish(second->job.name().substr(5), second->facts.epoch).ok());
  EXPECT_TRUE(ClaimOne().has_value());
}

TEST_F(ManyUsers, TurnSecondsOfADayAreUsedUpAndComeBackAtMidnight) {
  Limit(1, "turn_seconds_per_day", 10);
  for (int i = 0; i < 4; ++i) Create(AskAs(1));
  EXPECT_EQ(Turn(9), 1u);
  EXPECT_EQ(Turn(1), 1u) << "9 of 10 were used";
  EXPECT_EQ(Turn(1), 0u) << "10 of 10 were";
  now_.wall_us = kDayUs - 1;
  EXPECT_EQ(Turn(1), 0u);
  now_.wall_us = kDayUs;
  EXPECT_EQ(Turn(1), 1u);
}

TEST_F(ManyUsers, SubmissionsAMinuteLeakOutOfABucket) {
  policy_.quota.set_submissions_per_minute(3);
  for (int i = 0; i < 3; ++i) Create();
  const absl::Status fourth = Refusal(Ask());
  EXPECT_EQ(support::DetailOf(fourth).reason(), "SUBMISSIONS_LIMIT");
  EXPECT_EQ(support::DetailOf(fourth).retry_after().seconds(), 20);
  Pass(19.9);
  EXPECT_FALSE(Refusal(Ask()).ok());
  Pass(0.2);
  EXPECT_TRUE(Refusal(Ask()).ok());
  EXPECT_FALSE(Refusal(Ask()).ok());
  now_.wall_us -= 3'000'000'000;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Refusal(Ask()).ok()) << "a clock set back keeps nobody out";
  EXPECT_FALSE(Refusal(Ask()).ok());
}

TEST_F(ManyUsers, BlobBytesAreCountedPerUserAndGivenBack) {
  const auto add = [&](const std::string& digest, uint32_t uid, int64_t limit) {
    return Write([&](SQLite::Database& db) { return AddBlob(db, digest, 10, uid, limit, 5); });
  };
  EXPECT_TRUE(add("b", 1, 20).ok());
  EXPECT_TRUE(add("c", 1, 20).ok()) << "at the edge";
  EXPECT_TRUE(add("c", 1, 20).ok()) << "its own again costs nothing";
  EXPECT_EQ(support::DetailOf(add("d", 1, 20)).reason(), "BLOB_BYTES_LIMIT");
  EXPECT_TRUE(add("d", 2, 20).ok());
  EXPECT_TRUE(Write([&](SQLite::Database& db) {
    EXPECT_EQ(LoadAccount(db, 1).blob_bytes, 20);
    DropStaleBlobs(db, 6);
    EXPECT_EQ(LoadAccount(db, 1).blob_bytes, 0);
    return absl::OkStatus();
  }).ok());
}

TEST_F(ManyUsers, AfterOkWaitsForCorrectAndIsCancelledOtherwiseDownTheChain) {
  const std::string first = Create(), second = Waits(Ask(), first, kOk), third = Waits(Ask(), second, kOk),
                    always = Waits(Ask(), second, kAny);
  EXPECT_EQ(ClaimOne()->job.name(), "jobs/" + first);
  EXPECT_FALSE(ClaimOne().has_value()) << "the others wait";
  EXPECT_TRUE(Finish(first, 1, v1::VERDICT_INCORRECT).ok());
  EXPECT_EQ(Load(second).job.state(), v1::JOB_STATE_CANCELLED);
  EXPECT_EQ(Load(second).job.state_reason(), "DEPENDENCY_FAILED");
  EXPECT_EQ(Load(third).job.state(), v1::JOB_STATE_CANCELLED);
  EXPECT_EQ(ClaimOne()->job.name(), "jobs/" + always);
}

TEST_F(ManyUsers, AWaitingJobNeedsAllOfItsDependencies) {
  const std::string a = Create(), b = Create();
  Admission both = Ask();
  for (const std::string& on : {a, b, a}) both.spec.add_after()->set_job("jobs/" + on);
  const std::string waits = Create(both);
  EXPECT_TRUE(Finish(ClaimOne()->job.name().substr(5), 1).ok());
  EXPECT_EQ(ClaimOne()->job.name(), "jobs/" + b);
  EXPECT_FALSE(ClaimOne().has_value());
  Pass(100);
  EXPECT_TRUE(Finish(b, 1).ok());
  EXPECT_TRUE(Write([&](SQLite::Database& db) {
    EXPECT_EQ(OldestReadyUs(db, v1::PRIORITY_NORMAL), now_.wall_us) << "its wait begins when it could start";
    return absl::OkStatus();
  }).ok());
  EXPECT_EQ(ClaimOne()->job.name(), "jobs/" + waits);
}

TEST_F(ManyUsers, DependenciesOnEndedMissingOrForeignJobs) {
  const std::string good = Create();
  ClaimOne();
  EXPECT_TRUE(Finish(good, 1).ok());
  Waits(Ask(), good, kOk);
  EXPECT_TRUE(ClaimOne().has_value()) << "met before it was made";
  const std::string bad = Create();
  ClaimOne();
  EXPECT_TRUE(Finish(bad, 1, v1::VERDICT_BUILD_FAILED).ok());
  Admission admission = Ask();
  admission.spec.add_after()->set_job("jobs/" + bad);
  EXPECT_EQ(support::DetailOf(Refusal(admission)).reason(), "DEPENDENCY_FAILED");
  admission.spec.mutable_after(0)->set_job("jobs/nope");
  EXPECT_EQ(support::DetailOf(Refusal(admission)).reason(), "JOB_NOT_FOUND");
  admission.spec.mutable_after(0)->set_job("jobs/" + Create(AskAs(2)));
  EXPECT_EQ(support::DetailOf(Refusal(admission)).reason(), "JOB_NOT_FOUND") << "not yours: as if not there";
}

TEST_F(ManyUsers, NotBeforeIsHeldBackAndTheQueueLimitCountsFromIt) {
  Admission later = Ask();  // its queue limit is 10 s
  later.spec.mutable_not_before()->set_seconds(now_.wall_us / 1'000'000 + 60);
  const std::string id = Create(later);
  const auto due = [&] {
    std::vector<std::string> overdue;
    EXPECT_TRUE(Write([&](SQLite::Database& db) {
      ReleaseDue(db, now_);
      overdue = OverdueJobs(db, now_.wall_us);
      return absl::OkStatus();
    }).ok());
    return overdue;
  };
  now_.wall_us += 59'999'999;
  EXPECT_TRUE(due().empty());
  EXPECT_FALSE(ClaimOne().has_value());
  now_.wall_us += 1;
  EXPECT_TRUE(due().empty());
  Pass(11);
  EXPECT_EQ(due(), std::vector<std::string>{id});
  EXPECT_TRUE(ClaimOne().has_value());
}

TEST_F(ManyUsers, AReservationLetsOnlyItsUserInUntilItEnds) {
  EXPECT_TRUE(Write([&](SQLite::Database& db) {
    v1::Reservation reservation;
    reservation.set_uid(2);
    reservation.mutable_until()->set_seconds(now_.wall_us / 1'000'000 + 60);
    return SetReservation(db, "devices/host", reservation);
  }).ok());
  Create(AskAs(1));
  EXPECT_FALSE(ClaimOne().has_value());
  Create(AskAs(2));
  EXPECT_EQ(ClaimOne()->job.owner_uid(), 2u);
  Pass(61);
  EXPECT_EQ(ClaimOne()->job.owner_uid(), 1u);
}

TEST_F(ManyUsers, ARecalledJobKeepsItsPlaceAndItsAttempts) {
  const std::string id = Create(AskAs(1, v1::PRIORITY_BATCH));
  for (int i = 0; i < 3; ++i) {
    const auto row = ClaimOne();
    ASSERT_TRUE(row.has_value());
    EXPECT_TRUE(Write([&](SQLite::Database& db) {
      EndLease(db, *row, DecideLeaseEnd(row->facts, row->facts.epoch, LeaseEnd::kRecalled, "").value(),
               {now_, policy_.half_life_us, 0});
      return absl::OkStatus();
    }).ok());
  }
  EXPECT_EQ(Load(id).facts.recalls, 3);
  EXPECT_EQ(Load(id).job.state(), v1::JOB_STATE_QUEUED);
  const auto row = ClaimOne();
  EXPECT_TRUE(Write([&](SQLite::Database& db) {
    EndLease(db, *row, DecideLeaseEnd(row->facts, row->facts.epoch, LeaseEnd::kExpired, "").value(),
             {now_, policy_.half_life_us, 0});
    return absl::OkStatus();
  }).ok());
  EXPECT_EQ(Load(id).job.state(), v1::JOB_STATE_QUEUED) << "the first attempt that counts";
}

TEST_F(ManyUsers, AClockThatJumpsExpiresNobody) {
  const std::string id = Create();  // queue limit 10 s
  now_.wall_us += 365 * kDayUs;
  EXPECT_TRUE(Write([&](SQLite::Database& db) {
    ShiftDeadlines(db, 365 * kDayUs);
    EXPECT_TRUE(OverdueJobs(db, now_.wall_us).empty());
    return absl::OkStatus();
  }).ok());
  Pass(11);
  EXPECT_TRUE(Write([&](SQLite::Database& db) {
    EXPECT_EQ(OverdueJobs(db, now_.wall_us).size(), 1u);
    return absl::OkStatus();
  }).ok());
}

TEST_F(ManyUsers, AClockSetBackDoesNotExpireAJobBeforeItsHour) {
  Admission later = Ask();  // its queue limit is 10 s
  later.spec.mutable_not_before()->set_seconds(now_.wall_us / 1'000'000 + 60);
  Create(later);
  EXPECT_TRUE(Write([&](SQLite::Database& db) {
    ShiftDeadlines(db, -kDayUs);
    EXPECT_TRUE(OverdueJobs(db, now_.wall_us).empty());
    return absl::OkStatus();
  }).ok());
}

TEST_F(ManyUsers, AVeryLargeLimitIsNoLimit) {
  Limit(1, "turn_seconds_per_day", INT64_MAX);
  Create(AskAs(1));
  EXPECT_EQ(Turn(1), 1u);
}

TEST_F(ManyUsers, SearchFindsWordsOfOnesOwnJobs) {
  Admission named = Ask();
  named.spec.set_label("softmax \"fast\" v2");
  v1::Dim* dim = named.spec.mutable_problem()->add_dims();
  dim->set_name("N");
  dim->set_int_value(4096);
  const std::string id = Create(named);
  Admission other = named;
  other.uid = AskAs(2).uid;
  Create(other);
  EXPECT_TRUE(Write([&](SQLite::Database& db) {
    EXPECT_EQ(IndexNewJobs(db, 1), 1);
    EXPECT_EQ(IndexNewJobs(db, 100), 1);
    EXPECT_EQ(IndexNewJobs(db, 100), 0);
    return absl::OkStatus();
  }).ok());
  const auto found = [&](const std::string& words, std::optional<uint32_t> owner) {
    v1::ListJobsRequest request;
    request.set_search(words);
    size_t count = 0;
    EXPECT_TRUE(database_->ReadAndWait([&](SQLite::Database& db) {
      count = ListJobRows(db, request, 1000, owner)->jobs.size();
      return absl::OkStatus();
    }).ok());
    return count;
  };
  EXPECT_EQ(found("softmax N=4096", 1000), 1u);
  EXPECT_EQ(found("soft*", 1000), 1u);
  EXPECT_EQ(found("softmax", std::nullopt), 2u) << "operators see all";
  EXPECT_EQ(found("softmax gemm", 1000), 0u);
  EXPECT_EQ(found("N=409", 1000), 0u);
  for (const char* odd : {"\"", "a OR b", "words:x", "*", "NEAR(a b)", "-x", "\" OR owner : u2 OR \"", "((", "u2"}) {
    EXPECT_EQ(found(odd, 1000), 0u) << odd;
  }
}

}  // namespace
}  // namespace kernelopt::server
