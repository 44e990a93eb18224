// A benchmark job from spec to result: prepare, build, turn, judge.
//
// To add a job kind: a file like this one, a line in agent/job_runner.cc. Used
// from the job thread, which must live as long as the worker (see Sandbox).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "build/compiler.h"
#include "device/device.h"
#include "judge/comparisons.h"
#include "judge/job_sink.h"
#include "judge/reference.h"
#include "judge/runner.h"
#include "kernelopt/v1/job.pb.h"
#include "kernelopt/v1/result.pb.h"

namespace kernelopt::worker {

// What the worker lends to every job.
struct Bench {
  Device& device;
  const Compiler& compiler;
  RunnerOptions runner;
  ReferenceOptions reference;
  CompareOptions compare;
  std::string sandbox_level, runner_digest;
};

// Source bytes by digest.
using Fetch = std::function<absl::StatusOr<std::string>(const std::string& digest)>;

// `spare` is a reference process with its imports done; it is used up.
// `turn_begun` is called once, when the device is about to be used. CANCELLED
// when the sink said stop; any other Status is a fault of the system.
absl::StatusOr<v1::JobResult> RunBenchmark(const v1::JobSpec& spec, Bench& bench, const Fetch& fetch,
                                           std::unique_ptr<Reference> spare, JobSink& sink,
                                           const std::function<void()>& turn_begun);

}  // namespace kernelopt::worker
