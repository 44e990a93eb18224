// A benchmark job from spec to result: plan, build, a turn per workload.
//
// To add a job kind: a file like this one, a line in agent/job_runner.cc. Used
// from the job thread, which must live as long as the worker (see Sandbox).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "judge/bench.h"
#include "judge/job_plan.h"
#include "judge/job_sink.h"
#include "kernelopt/v1/job.pb.h"
#include "kernelopt/v1/result.pb.h"

namespace kernelopt::worker {

// `reference` has been started; afterwards it may serve another job.
// `turn_begun` is called once, when the device is about to be used. CANCELLED
// when the sink said stop; any other Status is a fault of the system.
absl::StatusOr<v1::JobResult> RunBenchmark(const v1::JobSpec& spec, Bench& bench, const Fetch& fetch,
                                           Reference& reference, JobSink& sink,
                                           const std::function<void()>& turn_begun);

}  // namespace kernelopt::worker
