#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "judge/turn.h"
#include "measure/stats.h"
#include "support/clock.h"

namespace kernelopt::worker {
namespace {

constexpr int kNullWarmup = 10;
constexpr int kNullCalls = 60;
// What two reads of a clock and a scheduler tick may differ by; the band is
// never taken narrower.
constexpr double kSmallestBandUs = 5.0;

}  // namespace

void PhaseClock::Mark(const std::string& name) {
  const double now = support::MonotonicSeconds();
  const double spent = last_ == 0 ? 0 : now - last_;
  last_ = now;
  for (auto& [known, seconds] : phases_) {
    if (known == name) {
      seconds += spent;
      return;
    }
  }
  phases_.emplace_back(name, spent);
}

void CondemnAll(Subjects& subjects, const Finding& finding) {
  for (auto& subject : subjects) {
    if (subject->alive()) subject->Condemn(finding);
  }
}

int CountAlive(const Subjects& subjects) {
  return static_cast<int>(
      std::count_if(subjects.begin(), subjects.end(), [](const auto& s) { return s->alive(); }));
}

absl::Status Calibrate(Turn& turn, const RunnerOptions& options) {
  auto runner = Runner::Start(turn.device, options, 0);
  if (!runner.ok()) return runner.status();
  if (absl::Status s = (*runner)->LoadNull(); !s.ok()) {
    return absl::UnavailableError(absl::StrCat("kopt-runner: ", std::string(s.message())));
  }
  std::vector<double> outer, apart;
  for (int i = 0; i < kNullWarmup + kNullCalls; ++i) {
    const CallTime time = (*runner)->line().Call(nullptr, turn.call_timeout_us, 0);
    if (time.end != CallTime::End::kDone) return absl::UnavailableError("kopt-runner died");
    if (i < kNullWarmup) continue;
    outer.push_back(time.outer_us);
    apart.push_back(time.outer_us - time.inner_us);
  }
  std::sort(apart.begin(), apart.end());
  turn.calibration.handover_us = Median(outer);
  const double spread = Percentile(apart, 0.9) - Percentile(apart, 0.1);
  turn.calibration.band_us = std::max(kSmallestBandUs, 6 * spread);
  return absl::OkStatus();
}

}  // namespace kernelopt::worker
