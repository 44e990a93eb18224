// From what a turn measured to the figures of the result. Pure.
#pragma once

#include "judge/turn.h"
#include "kernelopt/v1/result.pb.h"

namespace kernelopt::worker {

struct RecordRule {
  double unstable_above = 0.02;      // width of the median's interval / median
  double disturbed_above = 0.10;     // share of dropped samples
  // Times are those between two events, which a CPU that comes late does not
  // change: of the dropped samples only those count on which the device was busy.
  bool events = false;
  double write_back_us = 0;          // Device::WriteBackUs of the outputs
  double process_us = 0;             // CompareOptions::process_noise_us
  double floor_us = 0;               // the longer of Device's floors; 0: none
  double flops_floor_us = 0;         // Device::FlopsFloorUs
};

// Timing of every living subject, then verdicts: CORRECT, DISTURBED, or
// INTEGRITY_VIOLATION where its stamps are impossible, or far below the bound of
// back-to-back calls; UNWITNESSED, with a note, where they are a little below it.
void RecordTimings(const TimedRounds& rounds, const Calibration& calibration, const RecordRule& rule,
                   Subjects& subjects);

// Before so many calls the process already had the GPU at work.
Finding WorksBeforeCalls(int early, int calls);

void RecordContract(const Contract& contract, const Oracle& oracle, const Reference::Work& work,
                    v1::Contract& out);

}  // namespace kernelopt::worker
