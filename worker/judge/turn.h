// The parts of one turn on the device: calibrate, verify, time, audit.
//
// All run on the job thread, pinned to the judge's CPU. A Status means that the
// system failed or the job was stopped (CANCELLED); what is true of a subject
// goes into its record.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "judge/job_sink.h"
#include "judge/subject.h"

namespace kernelopt::worker {

using Subjects = std::vector<std::unique_ptr<Subject>>;

// Hand-over of a call that does nothing, measured in a runner without a
// solution.
struct Calibration {
  double handover_us = 0;  // median
  double band_us = 0;      // |outer - hand-over - inner| of an undisturbed call
};

// Wall seconds per phase, for the result.
class PhaseClock {
 public:
  // Adds the time since the last mark to `name`.
  void Mark(const std::string& name);
  const std::vector<std::pair<std::string, double>>& phases() const { return phases_; }

 private:
  double last_ = 0;
  std::vector<std::pair<std::string, double>> phases_;
};

struct Turn {
  Device& device;
  JobSink& sink;
  const v1::JobSpec& spec;
  Arena& arena;
  Reference& reference;
  Subjects& subjects;
  PhaseClock& clock;
  double call_timeout_us = 10e6;
  Calibration calibration = {};
};

// Gives every living subject this finding.
void CondemnAll(Subjects& subjects, const Finding& finding);
int CountAlive(const Subjects& subjects);

absl::Status Calibrate(Turn& turn, const RunnerOptions& options);

// Finds out which outputs the reference reads (inout), and that it leaves its
// inputs alone. A broken reference condemns everyone.
absl::Status ExamineReference(Turn& turn);

// Every subject against the reference on the public draw and on draws with
// seeds nobody knew; the public draw twice, for determinism.
inline constexpr int kSecretDraws = 5;
absl::Status Verify(Turn& turn, std::vector<uint64_t>& seeds);

// One timed call whose outputs were kept.
struct Capture {
  uint64_t nonce = 0;
  size_t subject = 0;
  std::vector<char> outputs;
};

struct TimedRounds {
  // Per subject one entry per kept round; NaN: dropped, or the subject died.
  std::vector<std::vector<double>> net_us, inner_us;
  std::vector<int> dropped;
  std::vector<Capture> captures;
  double fill_s = 0, calls_s = 0;  // of the rounds
};
inline constexpr int kRandomAudits = 5;
absl::Status TimeRounds(Turn& turn, TimedRounds& rounds);

// Makes the inputs of captured calls again and compares.
absl::Status AuditCaptures(Turn& turn, TimedRounds& rounds);

}  // namespace kernelopt::worker
