// What the worker lends to every job.
#pragma once

#include <string>

#include "build/compiler.h"
#include "device/device.h"
#include "judge/comparisons.h"
#include "judge/reference.h"
#include "judge/runner.h"
#include "judge/spares.h"

namespace kernelopt::worker {

struct Bench {
  Device& device;
  const Compiler& compiler;
  RunnerOptions runner;
  Spares* spares = nullptr;  // of `runner`
  // Whose candidates are called in one process; empty: each has its own.
  std::string run;
  PythonOptions python;
  CompareOptions compare;
  double busy_seconds = 10;   // to wait for a device that others use too
  double oracle_seconds = 2;  // that the reference in double precision may take per draw
  std::string sandbox_level, runner_digest;
};

}  // namespace kernelopt::worker
