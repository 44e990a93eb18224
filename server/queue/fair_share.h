// Who goes next on a device: pure.
//
// Classes first (interactive, normal, batch). Inside a class the user with the
// least usage per share goes first: usage is the time of past turns, halved
// every half-life, so that a heavy week is forgiven in time and nobody can save
// up. What a user runs at the moment counts as one more usual job. Of one
// user's jobs the older goes first, and so on ties between users.
//
// A job that has waited longer than its class's bound goes before all this, the
// one furthest past its bound first, but never twice in a row: whoever comes
// fresh in a higher class waits for at most one such job more.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "kernelopt/v1/job.pb.h"
#include "kernelopt/v1/system_service.pb.h"
#include "queue/quarantine.h"

namespace kernelopt::server {

// No limits, the usual weight.
inline v1::Quota NoLimits() {
  v1::Quota quota;
  quota.set_share_percent(100);
  return quota;
}

struct QueuePolicy {
  int64_t half_life_us = int64_t{86'400} * 1'000'000;
  // By Priority; [0] is not used.
  std::array<int64_t, 4> bound_us = {0, 120'000'000, int64_t{4 * 3600} * 1'000'000,
                                     int64_t{24 * 3600} * 1'000'000};
  v1::Quota quota = NoLimits();  // of users without limits of their own
  QuarantineTerms quarantine;
};

// What is left of `usage_us` after `elapsed_us`; a clock set back changes nothing.
double Decayed(int64_t usage_us, int64_t elapsed_us, int64_t half_life_us);

// A user with claimable jobs of one class.
struct Contender {
  uint32_t uid = 0;
  double load_us = 0;  // usage now, and a usual job for each that runs
  double share = 1;
  int64_t oldest_id = 0;
};
// Does `a` go before `b`?
bool GoesBefore(const Contender& a, const Contender& b);
// Index of who goes next; `contenders` is not empty.
size_t NextUser(std::span<const Contender> contenders);

// One claimable job.
struct Waiting {
  int64_t id = 0;
  uint32_t uid = 0;
  int priority = 0;
  int64_t ready_us = 0;
};
// How far past its bound (negative: not yet).
int64_t PastBoundUs(const Waiting& job, const QueuePolicy& policy, int64_t now_us);

struct LineFacts {
  std::map<uint32_t, Contender> users;  // every uid of the jobs; oldest_id not used
  int64_t pace_us = 0;                  // usual length of a job; 0 counts as 1
  bool aged_last = false;               // the last one claimed was past its bound
  int64_t now_us = 0;
};
// The jobs in the order in which they start if none comes and all take `pace`.
std::vector<Waiting> StartOrder(std::vector<Waiting> jobs, const LineFacts& facts,
                                const QueuePolicy& policy);

}  // namespace kernelopt::server
