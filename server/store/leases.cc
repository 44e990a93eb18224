#include "store/leases.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "store/accounts.h"
#include "store/device_faults.h"
#include "store/switches.h"
#include "support/ids.h"

namespace kernelopt::server {
namespace {

constexpr char kClaimable[] = "state = 'QUEUED' AND unmet = 0 AND not_before_us IS NULL";

struct DeviceState {
  bool closed = false;  // drained, or in quarantine
  std::optional<uint32_t> reserved_uid, quarantined_uid;
  bool aged_last = false;
  int64_t pace_us = 0;
};

DeviceState LoadDeviceState(SQLite::Database& db, const std::string& device, int64_t now_us) {
  SQLite::Statement s(db,
                      "SELECT drained, reserved_uid, aged_last, pace_us, "
                      "coalesce(reserved_until_us, 0) > ?2, coalesce(quarantined_until_us, 0) > ?2, quarantined_uid FROM device WHERE name = ?1");
  s.bind(1, absl::StrCat("devices/", device));
  s.bind(2, now_us);
  DeviceState state;
  if (!s.executeStep()) return state;
  const bool quarantine = s.getColumn(5).getInt() != 0, of_all = s.getColumn(6).isNull();
  state.closed = s.getColumn(0).getInt() != 0 || (quarantine && of_all);
  if (quarantine && !of_all) state.quarantined_uid = static_cast<uint32_t>(s.getColumn(6).getInt64());
  if (s.getColumn(4).getInt() != 0) {
    state.reserved_uid = static_cast<uint32_t>(s.getColumn(1).getInt64());
  }
  state.aged_last = s.getColumn(2).getInt() != 0;
  state.pace_us = s.getColumn(3).getInt64();
  return state;
}

std::map<uint32_t, int64_t> LeasesByUser(SQLite::Database& db) {
  SQLite::Statement s(db,
                      "SELECT owner_uid, count(*) FROM job INDEXED BY job_leased "
                      "WHERE state IN ('LEASED','RUNNING') GROUP BY owner_uid");
  std::map<uint32_t, int64_t> leases;
  while (s.executeStep()) {
    leases[static_cast<uint32_t>(s.getColumn(0).getInt64())] = s.getColumn(1).getInt64();
  }
  return leases;
}

// Looks users up for one decision.
class Users {
 public:
  Users(SQLite::Database& db, const DeviceState& device, const QueuePolicy& policy, int64_t now_us)
      : device_(device),
        policy_(policy),
        now_us_(now_us),
        leases_(LeasesByUser(db)),
        find_(db,
              "SELECT usage_us, usage_at_us, day, day_turn_us, "
              "(SELECT value FROM quota WHERE uid = ?1 AND name = 'running_jobs'), "
              "(SELECT value FROM quota WHERE uid = ?1 AND name = 'turn_seconds_per_day'), "
              "(SELECT value FROM quota WHERE uid = ?1 AND name = 'share_percent') "
              "FROM (SELECT 1) LEFT JOIN account ON uid = ?1") {}

  struct Standing {
    Contender contender;
    Barred barred = Barred::kNo;
  };
  const Standing& Of(uint32_t uid) {
    const auto known = standings_.find(uid);
    if (known != standings_.end()) return known->second;
    find_.reset();
    find_.bind(1, static_cast<int64_t>(uid));
    find_.executeStep();
    const auto limit = [&](int column, int64_t usual) {
      return find_.getColumn(column).isNull() ? usual : find_.getColumn(column).getInt64();
    };
    const int64_t running = leases_.count(uid) > 0 ? leases_[uid] : 0;
    const int64_t most_running = limit(4, policy_.quota.running_jobs());
    const int64_t turn_s = limit(5, policy_.quota.turn_seconds_per_day());
    const int64_t today_us =
        find_.getColumn(2).getInt64() == DayOf(now_us_) ? find_.getColumn(3).getInt64() : 0;
    Standing standing;
    standing.contender.uid = uid;
    standing.contender.share =
        static_cast<double>(std::max<int64_t>(1, limit(6, policy_.quota.share_percent()))) / 100;
    standing.contender.load_us =
        Decayed(find_.getColumn(0).getInt64(), now_us_ - find_.getColumn(1).getInt64(),
                policy_.half_life_us) +
        static_cast<double>(running * std::max<int64_t>(1, device_.pace_us));
    if (device_.reserved_uid && *device_.reserved_uid != uid) {
      standing.barred = Barred::kReserved;
    } else if (device_.quarantined_uid == uid) {
      standing.barred = Barred::kQuarantined;
    } else if (most_running > 0 && running >= most_running) {
      standing.barred = Barred::kRunningJobs;
    } else if (turn_s > 0 && today_us / 1'000'000 >= turn_s) {
      standing.barred = Barred::kTurnSeconds;
    }
    return standings_[uid] = standing;
  }

 private:
  const DeviceState& device_;
  const QueuePolicy& policy_;
  const int64_t now_us_;
  std::map<uint32_t, int64_t> leases_;
  std::map<uint32_t, Standing> standings_;
  SQLite::Statement find_;
};

// The job furthest past its bound.
std::optional<int64_t> PastBound(SQLite::Database& db, const Claim& claim,
                                 const QueuePolicy& policy, Users& users) {
  constexpr int kLook = 100;  // rows of one class; barred users may hide what is behind them
  std::optional<Waiting> found;
  SQLite::Statement s(
      db, absl::StrCat("SELECT id, owner_uid, ready_us FROM job INDEXED BY job_ready_age WHERE "
                       "device = ?1 AND priority = ?2 AND ready_us < ?3 AND ",
                       kClaimable, " ORDER BY ready_us LIMIT ?4"));
  for (int priority = 1; priority <= 3; ++priority) {
    s.reset();
    s.bind(1, claim.device);
    s.bind(2, priority);
    s.bind(3, claim.now.wall_us - policy.bound_us[static_cast<size_t>(priority)]);
    s.bind(4, kLook);
    while (s.executeStep()) {
      const Waiting job{s.getColumn(0).getInt64(), static_cast<uint32_t>(s.getColumn(1).getInt64()),
                        priority, s.getColumn(2).getInt64()};
      if (users.Of(job.uid).barred != Barred::kNo) continue;
      if (!found || PastBoundUs(job, policy, claim.now.wall_us) >
                        PastBoundUs(*found, policy, claim.now.wall_us)) {
        found = job;
      }
      break;
    }
  }
  return found ? std::optional<int64_t>(found->id) : std::nullopt;
}

struct Next {
  int64_t id;
  int priority;
};

// The next job by class and fair share.
std::optional<Next> ByShare(SQLite::Database& db, const std::string& device, Users& users) {
  // Hops from user to user along the index instead of reading every job.
  const std::string here = absl::StrCat("device = ?1 AND priority = ?2 AND ", kClaimable);
  SQLite::Statement s(
      db, absl::StrCat("WITH RECURSIVE u(uid) AS (SELECT min(owner_uid) FROM job WHERE ", here,
                       " UNION ALL SELECT (SELECT min(owner_uid) FROM job WHERE ", here,
                       " AND owner_uid > u.uid) FROM u WHERE u.uid IS NOT NULL) "
                       "SELECT uid, (SELECT min(id) FROM job WHERE ",
                       here, " AND owner_uid = u.uid) FROM u WHERE uid IS NOT NULL"));
  for (int priority = 1; priority <= 3; ++priority) {
    s.reset();
    s.bind(1, device);
    s.bind(2, priority);
    std::vector<Contender> contenders;
    while (s.executeStep()) {
      const auto& standing = users.Of(static_cast<uint32_t>(s.getColumn(0).getInt64()));
      if (standing.barred != Barred::kNo) continue;
      contenders.push_back(standing.contender);
      contenders.back().oldest_id = s.getColumn(1).getInt64();
    }
    if (!contenders.empty()) return Next{contenders[NextUser(contenders)].oldest_id, priority};
  }
  return std::nullopt;
}

// What the job costs its owner. On the host a build keeps the device busy too.
int64_t TurnUs(const JobRow& row, int64_t now_boot_us) {
  const int64_t begin_us = row.job.spec().device() == "host" ? row.lease_boot_us : row.turn_boot_us;
  return begin_us == 0 ? 0 : std::max<int64_t>(0, now_boot_us - begin_us);
}

void Settle(SQLite::Database& db, const JobRow& row, const Change& change, const LeaseBill& bill) {
  // Boot times of another boot mean nothing.
  if (change.attempt_end != "HOST_REBOOTED") {
    ChargeTurn(db, row.job.owner_uid(), TurnUs(row, bill.now.boot_us), bill.half_life_us,
               bill.now.wall_us);
  }
  if (bill.log_bytes == row.log_bytes) return;
  AddLogBytes(db, row.job.owner_uid(), bill.log_bytes - row.log_bytes);
  SQLite::Statement s(db, "UPDATE job SET log_bytes = ? WHERE id = ?");
  s.bind(1, bill.log_bytes);
  s.bind(2, row.id);
  s.exec();
}

}  // namespace

std::optional<JobRow> ClaimNext(SQLite::Database& db, const Claim& claim,
                                const QueuePolicy& policy) {
  const DeviceState device = LoadDeviceState(db, claim.device, claim.now.wall_us);
  if (device.closed || PauseReason(db)) return std::nullopt;
  Users users(db, device, policy, claim.now.wall_us);
  std::optional<int64_t> id;
  if (!device.aged_last) id = PastBound(db, claim, policy, users);
  const bool aged = id.has_value();
  if (!id) {
    const auto next = ByShare(db, claim.device, users);
    if (!next) return std::nullopt;
    id = next->id;
  }
  if (aged != device.aged_last) {
    SQLite::Statement s(db, "UPDATE device SET aged_last = ? WHERE name = ?");
    s.bind(1, aged ? 1 : 0);
    s.bind(2, absl::StrCat("devices/", claim.device));
    s.exec();
  }
  LeaseJob(db, *id, claim.worker, claim.boot_id, claim.now);
  return LoadJobById(db, *id);
}

std::optional<int> BestClass(SQLite::Database& db, const std::string& device,
                             const QueuePolicy& policy, int64_t now_us) {
  const DeviceState state = LoadDeviceState(db, device, now_us);
  if (state.closed || PauseReason(db)) return std::nullopt;
  Users users(db, state, policy, now_us);
  const auto next = ByShare(db, device, users);
  return next ? std::optional<int>(next->priority) : std::nullopt;
}

Line LoadLine(SQLite::Database& db, const std::string& device, const QueuePolicy& policy,
              int64_t now_us) {
  const DeviceState state = LoadDeviceState(db, device, now_us);
  Users users(db, state, policy, now_us);
  Line line;
  line.pace_us = state.pace_us;
  std::vector<Waiting> waiting;
  LineFacts facts;
  facts.pace_us = state.pace_us;
  facts.aged_last = state.aged_last;
  facts.now_us = now_us;
  SQLite::Statement s(
      db, absl::StrCat("SELECT id, owner_uid, priority, ready_us FROM job WHERE device = ? AND ",
                       kClaimable));
  s.bind(1, device);
  while (s.executeStep()) {
    const Waiting job{s.getColumn(0).getInt64(), static_cast<uint32_t>(s.getColumn(1).getInt64()),
                      s.getColumn(2).getInt(), s.getColumn(3).getInt64()};
    const auto& standing = users.Of(job.uid);
    if (standing.barred != Barred::kNo) {
      line.barred[job.uid] = standing.barred;
      continue;
    }
    facts.users[job.uid] = standing.contender;
    waiting.push_back(job);
  }
  line.order = StartOrder(std::move(waiting), facts, policy);
  return line;
}

std::vector<std::string> WaitingDevices(SQLite::Database& db, const std::string& device) {
  if (!device.empty()) return {device};
  SQLite::Statement s(
      db, absl::StrCat("SELECT DISTINCT device FROM job INDEXED BY job_ready WHERE ", kClaimable));
  std::vector<std::string> devices;
  while (s.executeStep()) devices.emplace_back(s.getColumn(0).getText());
  return devices;
}

int64_t OldestReadyUs(SQLite::Database& db, int priority) {
  int64_t oldest_us = 0;
  SQLite::Statement s(
      db, absl::StrCat("SELECT min(ready_us) FROM job WHERE device = ? AND priority = ? AND ", kClaimable));
  for (const std::string& device : WaitingDevices(db, "")) {
    s.reset();
    s.bind(1, device);
    s.bind(2, priority);
    if (!s.executeStep() || s.getColumn(0).isNull()) continue;
    const int64_t ready_us = s.getColumn(0).getInt64();
    if (oldest_us == 0 || ready_us < oldest_us) oldest_us = ready_us;
  }
  return oldest_us;
}

void EndLease(SQLite::Database& db, const JobRow& row, const Change& change,
              const LeaseBill& bill) {
  Settle(db, row, change, bill);
  if (IsFault(change.attempt_end)) {
    const Fault fault{support::IdOf(row.job.name()), row.job.owner_uid(), change.message};
    RecordFault(db, row.job.spec().device(), fault, bill.quarantine, bill.now.wall_us);
  }
  ApplyChange(db, row, change, bill.now);
}

void InsertResult(SQLite::Database& db, const JobRow& row, const Change& change,
                  const v1::JobResult& result, const LeaseBill& bill) {
  Settle(db, row, change, bill);
  ForgetFaults(db, row.job.spec().device());
  SQLite::Statement pace(db,
                         "UPDATE device SET pace_us = iif(pace_us = 0, ?2, pace_us + (?2 - pace_us) / 8) "
                         "WHERE name = ?1");
  pace.bind(1, absl::StrCat("devices/", row.job.spec().device()));
  pace.bind(2, std::max<int64_t>(1, bill.now.boot_us - row.lease_boot_us));
  pace.exec();
  StoreResult(db, row, change, result, bill.now);
}

std::vector<std::string> LeasedJobs(SQLite::Database& db, const std::string& device) {
  SQLite::Statement s(db,
                      "SELECT public_id FROM job INDEXED BY job_leased WHERE "
                      "state IN ('LEASED','RUNNING') AND (?1 = '' OR device = ?1)");
  s.bind(1, device);
  std::vector<std::string> ids;
  while (s.executeStep()) ids.emplace_back(s.getColumn(0).getText());
  return ids;
}

int64_t LogRoom(SQLite::Database& db, uint32_t uid, const QueuePolicy& policy) {
  const int64_t limit = LimitsOf(db, uid, policy.quota).log_bytes();
  if (limit == 0) return INT64_MAX;
  return std::max<int64_t>(0, limit - LoadAccount(db, uid).log_bytes);
}

}  // namespace kernelopt::server
