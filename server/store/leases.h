// Who takes which job, and what a lease leaves behind when it ends.
//
// Every function runs inside Database::Write or Database::Read work; see
// store/jobs.h.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "queue/fair_share.h"
#include "queue/lifecycle.h"
#include "queue/quarantine.h"
#include "store/jobs.h"
#include "support/clock.h"

namespace kernelopt::server {

// Who takes a job, and when.
struct Claim {
  std::string worker, boot_id, device;
  support::Instant now;
};
// Leases the next job of the device (queue/fair_share.h says which) and starts
// a new attempt. None when nothing waits that may start: the queue is paused,
// the device drained, reserved or in quarantine, the users are at their limits.
std::optional<JobRow> ClaimNext(SQLite::Database& db, const Claim& claim,
                                const QueuePolicy& policy);

// The class of the job that ClaimNext would take by class and share, or none.
std::optional<int> BestClass(SQLite::Database& db, const std::string& device,
                             const QueuePolicy& policy, int64_t now_us);

// Why jobs of a user do not start on a device though they could.
enum class Barred { kNo, kReserved, kQuarantined, kRunningJobs, kTurnSeconds };

// The waiting line of one device.
struct Line {
  std::vector<Waiting> order;        // first to start first; without barred users
  std::map<uint32_t, Barred> barred; // only those that are
  int64_t pace_us = 0;               // usual length of a lease; 0: not known
};
Line LoadLine(SQLite::Database& db, const std::string& device, const QueuePolicy& policy,
              int64_t now_us);

// Devices that claimable jobs name (only `device`, unless empty).
std::vector<std::string> WaitingDevices(SQLite::Database& db, const std::string& device);
// Since when the oldest claimable job of a class waits; 0: there is none.
int64_t OldestReadyUs(SQLite::Database& db, int priority);

// What the end of a lease is charged with, and its device.
struct LeaseBill {
  support::Instant now;
  int64_t half_life_us = 0;
  int64_t log_bytes = 0;  // size of the job's log now
  QuarantineTerms quarantine;
};
// Applies a change that takes the lease away: row, attempt, event, account.
void EndLease(SQLite::Database& db, const JobRow& row, const Change& change,
              const LeaseBill& bill);
// The same with a result, in one. ALREADY_EXISTS cannot happen: a second result
// of a job is refused by DecideResult before, and by the table.
void InsertResult(SQLite::Database& db, const JobRow& row, const Change& change,
                  const v1::JobResult& result, const LeaseBill& bill);

// Public ids of all jobs that hold a lease (on `device`, or on any when empty).
std::vector<std::string> LeasedJobs(SQLite::Database& db, const std::string& device);

// Log bytes a user may still write; INT64_MAX without a limit.
int64_t LogRoom(SQLite::Database& db, uint32_t uid, const QueuePolicy& policy);

}  // namespace kernelopt::server
