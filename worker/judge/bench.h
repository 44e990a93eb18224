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

// See judge/compile_ahead.h.
struct AheadOptions {
  std::string arch;       // as Device::arch(); empty: nothing is compiled
  std::string directory;  // of what is kept
  int64_t max_bytes = int64_t{1} << 30;
  int64_t seconds = 40;                       // for all kernels of a solution
  int64_t archive_bytes = int64_t{64} << 20;  // more is neither kept nor used
};

struct Bench {
  Device& device;
  const Compiler& compiler;
  RunnerOptions runner;
  Spares* spares = nullptr;  // of `runner`
  // Whose candidates are called in one process; empty: each has its own.
  std::string run;
  PythonOptions python;
  AheadOptions ahead;
  CompareOptions compare;
  double busy_seconds = 10;   // to wait for a device that others use too
  double oracle_seconds = 2;  // that the reference in double precision may take per draw
  std::string sandbox_level, runner_digest;
};

}  // namespace kernelopt::worker
