// One round: every subject called once on the same fresh content.
// Used from the job thread.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "judge/turn.h"

namespace kernelopt::worker {

enum class Audit { kNo, kKeepOutputs };

class RoundTaker {
 public:
  RoundTaker(Turn& turn, TimedRounds& out);

  // Calls `who` (indices into the subjects; those no longer alive are left
  // out), in an order and its reverse every other time. Samples are by subject
  // index. `audit` is decided before and told to nobody. CANCELLED when the job
  // was stopped.
  absl::StatusOr<std::vector<Sample>> Take(const std::vector<size_t>& who, Audit audit);

 private:
  Sample Weigh(const CallTime& time) const;

  Turn& turn_;
  TimedRounds& out_;
  const uint64_t seed_;
  int round_ = 0;
};

}  // namespace kernelopt::worker
