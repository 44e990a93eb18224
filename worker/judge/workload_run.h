// One workload on the device: buffers, examination, verification, timing,
// audits. Used from the job thread.
#pragma once

#include "judge/bench.h"
#include "judge/job_plan.h"
#include "judge/job_sink.h"
#include "judge/turn.h"

namespace kernelopt::worker {

// What a turn found; subjects' records hold the rest.
struct WorkloadFound {
  v1::WorkloadResult result;  // name, weight, contract, comparisons, lint; no subjects yet
  Calibration calibration;
  DeviceHealth health;  // when the calls had been timed
  std::vector<uint64_t> draw_seeds;
  uint64_t static_seed = 0;
};

// `subjects` are this workload's own (Subject::ForWorkload); `reference` is the
// main process, loaded. Phases are added to `clock`.
absl::StatusOr<WorkloadFound> RunWorkload(const v1::JobSpec& spec, const JobPlan& plan,
                                          const WorkloadPlan& workload, Bench& bench,
                                          Reference& reference, Subjects& subjects, JobSink& sink,
                                          PhaseClock& clock);

}  // namespace kernelopt::worker
