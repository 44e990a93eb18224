// From what a turn measured to the figures of the result. Pure.
#pragma once

#include "judge/turn.h"
#include "kernelopt/v1/result.pb.h"

namespace kernelopt::worker {

struct RecordRule {
  double unstable_above = 0.02;      // width of the median's interval / median
  double disturbed_above = 0.10;     // share of dropped samples
  double noise_floor = 0.01, alpha = 0.005;
};

// Timing of every living subject, then verdicts: CORRECT, or DISTURBED.
void RecordTimings(const TimedRounds& rounds, const Calibration& calibration, const RecordRule& rule,
                   Subjects& subjects);

// The candidate against each baseline.
void RecordComparisons(const TimedRounds& rounds, const RecordRule& rule, const Subjects& subjects,
                       v1::JobResult& result);

void RecordContract(const Contract& contract, v1::Contract& out);

}  // namespace kernelopt::worker
