// Runners that wait with their GPU context made. Contexts are made between
// turns: the driver makes one at a time (some 0.2 s), and one made beside a timed
// call disturbs it. The host has none, a runner takes milliseconds there.
// Used from the job thread, which outlives them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "judge/python_process.h"
#include "judge/runner.h"

namespace kernelopt::worker {

class Spares {
 public:
  // `options` is looked at whenever a runner starts.
  Spares(Device& device, const RunnerOptions& options, const PythonOptions& python, int count)
      : device_(device), options_(options), python_(python), count_(count) {}

  // Begins what is missing; does not wait for it. Between turns.
  void Refill();
  // Waits for what was begun, so that none is made in a timed window. Python's stand
  // still meanwhile, however far they are.
  void Settle();
  // Those of Python go on, or begin, for as long as nothing is timed.
  void RefillPython();
  void SettlePython();

  // A runner that has loaded nothing. UNAVAILABLE when the sandbox did not start.
  absl::StatusOr<std::unique_ptr<Runner>> Take(int64_t buffer_bytes);

  // One that a fresh one takes the place of. Ending a process with a context takes
  // 60 ms and the driver's attention: those of a GPU stand still until Refill.
  void Retire(std::unique_ptr<Runner> runner);
  void Retire(std::unique_ptr<PythonProcess> process);

  // The runner that served the last candidate of `run`, if that is the last one
  // kept and was started for as large buffers; null: none. Before it, at the
  // beginning of a job, EndUsedBut: that of another run holds memory.
  std::unique_ptr<Runner> TakeUsed(const std::string& run, int64_t buffer_bytes);
  void EndUsedBut(const std::string& run);
  // Kept for the next candidate of `run` if it comes to rest.
  void KeepUsed(const std::string& run, std::unique_ptr<Runner> runner);

  bool forks_python() const { return python_.zygote && python_.zygote->trouble().ok(); }
  // For a solution in Python, with imports and context done, or at least begun. As many
  // wait as were taken last time, at most `count`.
  absl::StatusOr<std::unique_ptr<PythonProcess>> TakePython();

  // One that serves calls that do nothing, lent: of a GPU always the same, since
  // no solution ever touches it.
  absl::StatusOr<std::unique_ptr<Runner>> TakeNull();
  void PutNull(std::unique_ptr<Runner> runner);

 private:
  // Most of the memory there was at first is free still, so what processes leave
  // allocated is no matter.
  bool Roomy() const;
  bool kept() const { return count_ > 0 && device_.clock() == Clock::kEvents; }

  Device& device_;
  const RunnerOptions& options_;
  const PythonOptions& python_;
  const int count_;
  std::vector<std::unique_ptr<Runner>> ready_, retired_;
  std::unique_ptr<Runner> null_, used_;
  std::string used_by_;
  std::vector<std::unique_ptr<PythonProcess>> python_ready_, python_retired_;
  int python_taken_ = 0, python_wanted_ = 0;
  int64_t free_at_first_ = 0;
};

}  // namespace kernelopt::worker
