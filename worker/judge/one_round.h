// One round: every subject called once on the same fresh content.
// Used from the job thread.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "judge/expect.h"
#include "judge/turn.h"

namespace kernelopt::worker {

enum class Audit { kNo, kYes };

// By how much the two clocks may differ on a call of this subject (or by 3 % of it).
double BandUs(const Turn& turn, const Subject& subject);

class RoundTaker {
 public:
  RoundTaker(Turn& turn, TimedRounds& out);

  // Calls `who` (indices into the subjects; those no longer alive are left
  // out), in an order and its reverse every other time. Samples are by subject
  // index. `audit` is decided before and told to nobody. CANCELLED when the job
  // was stopped.
  absl::StatusOr<std::vector<Sample>> Take(const std::vector<size_t>& who, Audit audit);

 private:
  Sample Weigh(const Subject& subject, const CallTime& time) const;
  // The hardware holds the device's clock down; looked at now and then.
  bool Slowed();
  // Where there is no room for copies: what the last call left.
  absl::Status JudgeNow(size_t subject, uint64_t nonce);
  // For copies of so many calls' outputs.
  absl::Status MakeRooms(size_t count);

  Turn& turn_;
  TimedRounds& out_;
  const uint64_t seed_;
  int round_ = 0;
  Expected expected_;
  std::vector<std::unique_ptr<Memory>> rooms_;  // those that are null were kept for the audit
  double looked_ = 0;
  bool slowed_ = false;
};

}  // namespace kernelopt::worker
