// Fills the noise table: compares a kernel of ours with itself, the way any two
// solutions are compared. For the worker's idle time, on the job thread.
#pragma once

#include <array>
#include <functional>

#include "judge/bench.h"

namespace kernelopt::worker {

class NoiseMeter {
 public:
  // All outlive the meter. The reference runs on NumPy, whatever jobs use: it
  // is not what is measured.
  NoiseMeter(const Bench& bench, NoiseTable& table);

  // One comparison, of seconds, in the band that knows least. True when the
  // table learnt something; false when it knows enough, the machine was too
  // busy, or `stopped` said so meanwhile.
  bool Step(const std::function<bool()>& stopped);

 private:
  bool OnGpu() const;
  v1::JobSpec SpecFor(int64_t elements) const;

  Bench bench_;  // with settings of its own
  NoiseTable& table_;
  // Elements that make a call of the middle of each band; corrected after every
  // comparison.
  std::array<double, NoiseTable::kBands> elements_;
};

}  // namespace kernelopt::worker
