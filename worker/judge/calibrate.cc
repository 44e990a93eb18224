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
constexpr int kNullWarmupOnGpu = 4;
constexpr int kNullCallsOnGpu = 18;
constexpr int kNullKernels = 5;  // that do nothing, on a GPU
// Then calls that read as much memory as a second-level cache holds: waking up
// and being stopped cost more when a kernel has emptied the caches.
constexpr int kWalkCalls = 30;
constexpr uint64_t kWalkBytes = 2 << 20;
// What two reads of a clock and a scheduler tick may differ by; the band is
// never taken narrower.
constexpr double kSmallestBandUs = 5.0;
constexpr double kSmallestAsideBandUs = 20.0;
// Work before a call that no CPU time of the process shows (a child did it, and has
// ended) shows on the wall, on which a busy machine shows too.
constexpr double kSmallestReadyBandUs = 100.0;
// A GPU changes hands somewhat slower after a kernel than after nothing: with 5
// us, one call in four of an honest 46 us kernel was dropped.
constexpr double kSmallestCloseBandUs = 50.0;

}  // namespace

void PhaseClock::Mark(const std::string& name) {
  const double now = support::MonotonicSeconds();
  Add(name, last_ == 0 ? 0 : now - last_);
  last_ = now;
}

void PhaseClock::Add(const std::string& name, double spent) {
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

namespace {

absl::StatusOr<CallTime> NullCall(Turn& turn, Line& line) {
  // Work of the judge on a GPU comes before each call: what the switch between
  // the two contexts costs is part of the hand-over.
  const bool events = turn.device.clock() == Clock::kEvents;
  if (events) turn.device.Evict({});
  CallTime time = line.Call(turn.call_timeout_us, 0, {.at_ready = [&] { return turn.device.Sentinel(); }});
  if (time.end != CallTime::End::kDone || time.device_error != 0) {
    return absl::UnavailableError("kopt-runner died");
  }
  const double closing = support::MonotonicSeconds();
  if (events) turn.arena.Glance();
  time.close_us = (support::MonotonicSeconds() - closing) * 1e6;
  return time;
}

absl::StatusOr<double> NullKernelUs(Turn& turn, Line& line) {
  std::vector<double> us;
  line.page().batch = {1, 0};
  for (int i = 0; i < kNullKernels; ++i) {
    const auto time = NullCall(turn, line);
    if (!time.ok()) return time.status();
    us.push_back(time->device_us);
  }
  line.page().batch = {};
  return Median(us);
}

}  // namespace

absl::Status Calibrate(Turn& turn, Spares& spares) {
  spares.Settle();
  auto runner = spares.TakeNull();
  if (!runner.ok()) return runner.status();
  Line& line = (*runner)->line();
  const bool events = turn.device.clock() == Clock::kEvents;
  std::vector<double> outer, apart, aside, null, close, ready, getting_ready;
  const int warmup = events ? kNullWarmupOnGpu : kNullWarmup;
  const int plain = warmup + (events ? kNullCallsOnGpu : kNullCalls);
  for (int i = 0; i < plain + (events ? 0 : kWalkCalls); ++i) {
    const bool walks = i >= plain;
    line.page().walk_bytes = walks ? kWalkBytes : 0;
    const auto time = NullCall(turn, line);
    if (!time.ok()) return time.status();
    if (i < warmup) continue;
    close.push_back(time->close_us);
    ready.push_back(time->ready_us);
    if (walks) {
      aside.push_back(time->aside_us);
      getting_ready.push_back(time->getting_ready_us);
    } else {
      outer.push_back(time->outer_us - (events ? time->lead_us + time->device_us : 0));
      apart.push_back(time->outer_us - (events ? time->lead_us + time->device_us : time->inner_us));
      null.push_back(time->device_us);
    }
  }
  if (events) {
    const auto us = NullKernelUs(turn, line);
    if (!us.ok()) return us.status();
    turn.calibration.null_kernel_us = *us;
  }
  spares.PutNull(*std::move(runner));
  turn.calibration.null_us = Median(null);
  turn.calibration.ready_us = Median(ready);
  std::sort(close.begin(), close.end());
  turn.calibration.close_us = Median(close);
  turn.calibration.close_band_us =
      std::max(kSmallestCloseBandUs, 2 * (Percentile(close, 0.95) - turn.calibration.close_us));
  std::sort(apart.begin(), apart.end());
  std::sort(aside.begin(), aside.end());
  turn.calibration.handover_us = Median(outer);
  const double spread = Percentile(apart, 0.9) - Percentile(apart, 0.1);
  turn.calibration.band_us = std::max(kSmallestBandUs, 6 * spread);
  if (events) return absl::OkStatus();
  turn.calibration.aside_us = Median(aside);
  turn.calibration.aside_band_us =
      std::max(kSmallestAsideBandUs, 2 * (Percentile(aside, 0.9) - turn.calibration.aside_us));
  std::sort(getting_ready.begin(), getting_ready.end());
  turn.calibration.getting_ready_us = Median(getting_ready);
  turn.calibration.getting_ready_band_us =
      std::max(kSmallestReadyBandUs, 2 * (Percentile(getting_ready, 0.9) - turn.calibration.getting_ready_us));
  return absl::OkStatus();
}

}  // namespace kernelopt::worker
