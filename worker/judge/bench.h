// What the worker lends to every job.
#pragma once

#include <string>

#include "build/compiler.h"
#include "device/device.h"
#include "judge/comparisons.h"
#include "judge/reference.h"
#include "judge/runner.h"

namespace kernelopt::worker {

struct Bench {
  Device& device;
  const Compiler& compiler;
  RunnerOptions runner;
  ReferenceOptions reference;
  CompareOptions compare;
  double oracle_seconds = 2;  // that the reference in double precision may take per draw
  std::string sandbox_level, runner_digest;
};

}  // namespace kernelopt::worker
