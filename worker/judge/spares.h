// Runners that wait with their GPU context made. Contexts are made between
// turns: the driver makes one at a time (some 0.2 s), and one made beside a timed
// call disturbs it. The host has none, a runner takes milliseconds there.
// Used from the job thread, which outlives them.
#pragma once

#include <memory>
#include <vector>

#include "judge/runner.h"

namespace kernelopt::worker {

class Spares {
 public:
  // `options` is looked at whenever a runner starts.
  Spares(Device& device, const RunnerOptions& options, int count) : device_(device), options_(options), count_(count) {}

  // Begins what is missing; does not wait for it.
  void Refill();
  // Waits for what was begun, so that none is made in a timed window.
  void Settle();

  // A runner that has loaded nothing. UNAVAILABLE when the sandbox did not start.
  absl::StatusOr<std::unique_ptr<Runner>> Take(int64_t buffer_bytes);

  // One that serves calls that do nothing, lent: of a GPU always the same, since
  // no solution ever touches it.
  absl::StatusOr<std::unique_ptr<Runner>> TakeNull();
  void PutNull(std::unique_ptr<Runner> runner);

 private:
  bool kept() const { return count_ > 0 && device_.clock() == Clock::kEvents; }

  Device& device_;
  const RunnerOptions& options_;
  const int count_;
  std::vector<std::unique_ptr<Runner>> ready_;
  std::unique_ptr<Runner> null_;
};

}  // namespace kernelopt::worker
