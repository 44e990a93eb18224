// The parts of one turn on the device: calibrate, verify, time, audit.
//
// All run on the job thread, pinned to the judge's CPU. A Status means that the
// system failed or the job was stopped (CANCELLED); what is true of a subject
// goes into its record.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "judge/inputs.h"
#include "judge/job_sink.h"
#include "judge/spares.h"
#include "judge/subject.h"
#include "measure/rounds.h"
#include "measure/sample.h"

namespace kernelopt::worker {

using Subjects = std::vector<std::unique_ptr<Subject>>;

// Hand-over of a call that does nothing, measured in a runner without a
// solution.
struct Calibration {
  double handover_us = 0;  // median; of a GPU without the time between the events
  double band_us = 0;      // |outer - hand-over - inner| of an undisturbed call
  double null_us = 0;      // between two events with nothing between them; GPUs
  double null_kernel_us = 0;  // with a kernel that does nothing; GPUs
  double close_us = 0, close_band_us = 0;  // CallTime::close_us of a call that leaves nothing; GPUs
  double ready_us = 0;  // CallTime::ready_us of a process that leaves the GPU alone
  // CPU time beside the timed window of a call that leaves caches cold: its
  // median, and how much more is still nothing.
  double aside_us = 0, aside_band_us = 0;
  // The same of the wall clock, from being continued to being ready; host.
  double getting_ready_us = 0, getting_ready_band_us = 0;
};

// Wall seconds per phase, for the result.
class PhaseClock {
 public:
  // Adds the time since the last mark to `name`.
  void Mark(const std::string& name);
  void Add(const std::string& name, double seconds);
  const std::vector<std::pair<std::string, double>>& phases() const { return phases_; }

 private:
  double last_ = 0;
  std::vector<std::pair<std::string, double>> phases_;
};

// Expected values in double precision: wanted until the reference shows that it
// cannot, or takes too long.
struct Oracle {
  double seconds = 2;   // that it may take for one draw; 0: not wanted
  bool used = false;    // by the last ComputeExpected
  std::string message;  // why not
};

struct Turn {
  Device& device;
  JobSink& sink;
  const v1::JobSpec& spec;
  Arena& arena;
  Inputs& inputs;
  Reference& reference;
  Subjects& subjects;
  PhaseClock& clock;
  double call_timeout_us = 10e6;
  Calibration calibration = {};
  Oracle oracle = {};
};

// Gives every living subject this finding.
void CondemnAll(Subjects& subjects, const Finding& finding);
int CountAlive(const Subjects& subjects);

absl::Status Calibrate(Turn& turn, Spares& spares);

// Content for `nonce`; a broken make_inputs() condemns everyone.
absl::Status FillInputs(Turn& turn, uint64_t nonce, Arena::Content content = Arena::Content::kPlain);

// Fills what is static, finds out which outputs the reference reads (inout),
// that it leaves its inputs alone, and whether it runs in double precision. A
// broken problem condemns everyone.
absl::Status ExamineReference(Turn& turn, uint64_t static_seed);

// Every subject against the reference: on the public draw, twice for
// determinism; on draws with seeds nobody knew; and on a stress draw where the
// reference itself is accurate on it.
inline constexpr int kSecretDraws = 5;
struct Verified {
  std::vector<uint64_t> seeds;
  std::vector<v1::Lint> lint;  // worthless outputs that would have passed
};
absl::Status Verify(Turn& turn, Verified& out);

// Worthless outputs that would pass as the answer to the draw that lies in the
// arena (lint.cc).
absl::StatusOr<std::vector<v1::Lint>> LintProblem(Turn& turn, uint64_t nonce,
                                                  const std::map<std::string, std::vector<double>>& errors);

// One timed call whose outputs were kept.
struct Capture {
  uint64_t nonce = 0;
  size_t subject = 0;
  std::unique_ptr<Memory> outputs;
  std::optional<uint64_t> digest;  // of the inputs, where it is known
};

// Calls behind each other, without the judge in between.
struct BackToBack {
  int calls = 0;        // of a batch; 0: not measured
  double us = 0;        // per call on inputs of its own, by the wall clock less the hand-over
  double warm_us = 0;   // per call, always on the same
  double host_us = 0;   // per call, until solve() returned, by the runner's stamps
};

struct TimedRounds {
  // Per subject, one entry per kept round.
  std::vector<std::vector<Sample>> samples;
  // Per subject, every timed call of its fresh processes.
  std::vector<std::vector<Sample>> fresh;
  // Per baseline, the log ratio of each fresh pair of processes; empty where
  // none were taken.
  std::vector<std::vector<double>> pair_ratios;
  std::vector<BackToBack> back_to_back;  // per subject
  // Processes of each solution whose calls the samples are, one after the other:
  // index of the first sample of each.
  std::vector<size_t> process_begins = {0};
  int processes() const { return static_cast<int>(process_begins.size()); }
  std::vector<Capture> captures;
  std::vector<uint64_t> nonces;    // of each round, untimed ones too
  double round_us = 0;             // wall time of one kept round
  double candidate_band_us = 0;    // of its witness: what one of its calls may hide
  double fill_s = 0, calls_s = 0;  // of all rounds
  double guard_s = 0;              // looking at inputs and memory after calls, copying outputs
};

// Built-in baselines that share the main reference process serve between these.
absl::Status StartServing(Turn& turn);
absl::Status StopServing(Turn& turn);

inline constexpr int kRandomAudits = 5;
absl::Status TimeRounds(Turn& turn, TimedRounds& rounds);

// Where rounds of one pair of processes cannot tell: the candidate and these
// baselines in fresh runners, again and again (PlanFreshPairs says how often;
// round_sd and process_sd are asked of the caller). Leaves out.pair_ratios empty
// when calls take too long for that. Calls to audit are drawn anew for every
// pair: a process can tell that it is a fresh one, and count.
absl::Status TakeFreshPairs(Turn& turn, Spares& spares, size_t candidate,
                            const std::vector<size_t>& baselines, FreshNeeds needs,
                            TimedRounds& out);

// Further samples, from fresh processes of all solutions, until out.processes() is
// `processes`: of GPUs, where a process keeps the luck of its launches for life.
absl::Status TakeProcesses(Turn& turn, Spares& spares, int processes, TimedRounds& out);

// Fresh processes for the solutions among `who` that are not one_process().
absl::Status Respawn(Turn& turn, const std::vector<size_t>& who, Spares& spares);

// Fills out.back_to_back of the solutions, on devices whose clock is that of
// events; captures a few of its calls for audit.
absl::Status TakeBackToBack(Turn& turn, TimedRounds& out);

// Makes the inputs of captured calls again and compares.
absl::Status AuditCaptures(Turn& turn, TimedRounds& rounds);

}  // namespace kernelopt::worker
