// What a worker does when nobody wants anything: measures the noise of its
// device. On the job thread.
#pragma once

#include <functional>
#include <string>

#include "judge/noise.h"

namespace kernelopt::worker {

class Idle {
 public:
  // Lends its table to `bench`, with what `path` holds of this `machine`.
  Idle(Bench& bench, const std::string& path, const std::string& machine, bool enabled);

  // One step; returns soon after `wanted` turned true.
  void Use(const std::function<bool()>& wanted);

 private:
  const std::string path_, machine_;
  const bool enabled_;
  NoiseTable table_;
  NoiseMeter meter_;
};

}  // namespace kernelopt::worker
