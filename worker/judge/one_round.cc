#include "judge/one_round.h"

#include <algorithm>
#include <cmath>

#include "measure/rounds.h"
#include "support/clock.h"
#include "support/ids.h"

namespace kernelopt::worker {

RoundTaker::RoundTaker(Turn& turn, TimedRounds& out)
    : turn_(turn), out_(out), seed_(support::RandomU64()) {}

Sample RoundTaker::Weigh(const CallTime& time) const {
  const Calibration& known = turn_.calibration;
  const bool events = turn_.device.clock() == Clock::kEvents;
  Sample sample;
  sample.called = true;
  sample.inner_us = events ? time.device_us : time.inner_us;
  sample.impossible = time.impossible;
  const double within = std::max(time.outer_us - known.handover_us - (events ? time.lead_us : 0), 1e-3);
  const double band = std::max(known.band_us, 0.03 * within);
  sample.apart = std::fabs(within - sample.inner_us) > band;
  if (events) {
    sample.apart |= time.lead_us > kMostLeadUs;
    sample.late = time.close_us > known.close_us + known.close_band_us;
    sample.apart |= sample.late;
    // Nothing is taken off the time between the events, and the CPU's part of a
    // call is not the device's.
    sample.within_us = sample.time_us = std::max(time.device_us, 1e-3);
    return sample;
  }
  // Work done before go or after done is part of the call.
  const double aside = time.aside_us - known.aside_us;
  sample.billed = aside > known.aside_band_us;
  sample.within_us = within;
  sample.time_us = within + (sample.billed ? aside : 0);
  return sample;
}

absl::StatusOr<std::vector<Sample>> RoundTaker::Take(const std::vector<size_t>& who, Audit audit) {
  const double start = support::MonotonicSeconds();
  const uint64_t nonce = support::RandomU64();
  if (absl::Status s = FillInputs(turn_, nonce); !s.ok()) return s;
  const uint64_t digest = audit == Audit::kKeepOutputs ? turn_.inputs.Digest() : 0;
  out_.fill_s += support::MonotonicSeconds() - start;
  std::vector<size_t> alive;
  for (const size_t i : who) {
    if (turn_.subjects[i]->alive()) alive.push_back(i);
  }
  std::vector<Sample> samples(turn_.subjects.size());
  for (const int k : RoundOrder(static_cast<int>(alive.size()), round_, seed_)) {
    const size_t i = alive[static_cast<size_t>(k)];
    const auto time = turn_.subjects[i]->Call(turn_.device, turn_.arena, nonce, turn_.call_timeout_us);
    if (turn_.sink.Stopped()) return absl::CancelledError("stopped");
    if (!time) continue;
    out_.calls_s += time->outer_us * 1e-6;
    samples[i] = Weigh(*time);
    if (audit != Audit::kKeepOutputs) continue;
    auto outputs = turn_.arena.CaptureOutputs();
    if (!outputs.ok()) return outputs.status();
    out_.captures.push_back({nonce, i, *std::move(outputs), digest});
  }
  ++round_;
  return samples;
}

}  // namespace kernelopt::worker
