#include "judge/one_round.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "judge/left_alone.h"
#include "measure/rounds.h"
#include "support/clock.h"
#include "support/ids.h"

namespace kernelopt::worker {

namespace {

// On a GPU, of a process of PyTorch. The band is that of a null runner, which is smaller: on an H200 a third of an honest
// Triton kernel's calls were outside of 7 us, none outside of 38. Who is FASTER by less has to be it back to back too.
constexpr double kPythonBandUs = 30;

}  // namespace

double BandUs(const Turn& turn, const Subject& subject) {
  const double band = turn.calibration.band_us;
  return turn.device.clock() == Clock::kEvents && subject.interpreted() ? std::max(band, kPythonBandUs) : band;
}

RoundTaker::RoundTaker(Turn& turn, TimedRounds& out)
    : turn_(turn), out_(out), seed_(support::RandomU64()), expected_(turn) {}

Sample RoundTaker::Weigh(const Subject& subject, const CallTime& time) const {
  const Calibration& known = turn_.calibration;
  const bool events = turn_.device.clock() == Clock::kEvents;
  Sample sample;
  sample.called = true;
  sample.inner_us = events ? time.device_us : time.inner_us;
  sample.impossible = time.impossible;
  const double within = std::max(time.outer_us - known.handover_us - (events ? time.lead_us : 0), 1e-3);
  const double band = std::max(BandUs(turn_, subject), 0.03 * within);
  sample.apart = std::fabs(within - sample.inner_us) > band;
  if (events) {
    sample.apart |= time.lead_us > kMostLeadUs;
    // The process was stopped during the eviction: what was there then is another's.
    const bool alone = turn_.device.EvictedAlone();
    sample.early = alone && time.ready_us > known.ready_us + kEarlyUs;
    sample.apart |= sample.early;
    sample.late = !alone || time.close_us > known.close_us + known.close_band_us;
    sample.apart |= sample.late;
    // Nothing is taken off the time between the events, and the CPU's part of a
    // call is not the device's.
    sample.within_us = sample.time_us = std::max(time.device_us, 1e-3);
    return sample;
  }
  // Work done before go or after done is part of the call: it shows as CPU time, but
  // costs what a clock on the wall says. A machine that gives the CPU to others
  // meanwhile takes that off CPU time, and not off the times of honest calls.
  const double aside = time.aside_us - known.aside_us, waited = time.getting_ready_us - known.getting_ready_us;
  sample.billed = aside > known.aside_band_us || waited > known.getting_ready_band_us;
  sample.within_us = within;
  sample.time_us = within + (sample.billed ? std::max(aside, waited) : 0);
  return sample;
}

bool RoundTaker::Slowed() {
  constexpr double kEverySeconds = 0.05;
  const double now = support::MonotonicSeconds();
  if (now - looked_ < kEverySeconds) return slowed_;
  looked_ = now;
  return slowed_ = turn_.device.Slowed();
}

absl::Status RoundTaker::JudgeNow(size_t subject, uint64_t nonce) {
  // On inputs that are made again: those of a GPU can be written by whoever tries.
  if (absl::Status s = FillInputs(turn_, nonce); !s.ok()) return s;
  const auto made = expected_.Compute(nonce, Precision::kOwn, Outputs::kKeep);
  if (!made.ok()) return made.status();
  return *made ? JudgeTimedCall(*turn_.subjects[subject], expected_) : absl::OkStatus();
}

absl::Status RoundTaker::MakeRooms(size_t count) {
  rooms_.resize(std::max(rooms_.size(), count));
  for (size_t k = 0; k < count; ++k) {
    if (rooms_[k]) continue;
    auto room = turn_.arena.RoomForOutputs();
    if (!room.ok()) return room.status();
    rooms_[k] = *std::move(room);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Sample>> RoundTaker::Take(const std::vector<size_t>& who, Audit audit) {
  const double start = support::MonotonicSeconds();
  const uint64_t nonce = support::RandomU64();
  if (absl::Status s = FillInputs(turn_, nonce); !s.ok()) return s;
  out_.nonces.push_back(nonce);
  const bool audited = audit == Audit::kYes;
  // On the host no runner can write inputs, whatever it does.
  const bool guarded = turn_.device.clock() == Clock::kEvents;
  const uint64_t digest = guarded ? turn_.inputs.Digest() : 0;
  out_.fill_s += support::MonotonicSeconds() - start;
  std::vector<size_t> alive;
  for (const size_t i : who) {
    if (turn_.subjects[i]->alive()) alive.push_back(i);
  }
  const bool slowed = Slowed();
  // Judging at once takes time, by which the next call would know that it counts.
  const bool only_last = turn_.arena.audits_at_once();
  // Outputs are copied after every call, of rounds that are not audited too: by the
  // pause before its call a subject would know which ones are.
  const bool copies = !only_last && (audited || alive.size() > 1);
  if (absl::Status s = copies ? MakeRooms(alive.size()) : absl::OkStatus(); !s.ok()) return s;
  size_t called = 0;
  std::vector<std::pair<size_t, size_t>> kept;  // subject, room
  std::vector<Sample> samples(turn_.subjects.size());
  for (const int k : RoundOrder(static_cast<int>(alive.size()), round_, seed_)) {
    const size_t i = alive[static_cast<size_t>(k)];
    const auto time = turn_.subjects[i]->Call(turn_.device, turn_.arena, nonce, turn_.call_timeout_us);
    if (turn_.sink.Stopped()) return absl::CancelledError("stopped");
    const double guarding = support::MonotonicSeconds();
    if (guarded) {
      CheckMemory(turn_, *turn_.subjects[i]);
      if (absl::Status s = CheckInputs(turn_, *turn_.subjects[i], {nonce, Arena::Content::kPlain, digest}); !s.ok()) return s;
    }
    out_.guard_s += support::MonotonicSeconds() - guarding;
    if (!time || !turn_.subjects[i]->alive()) continue;
    out_.calls_s += time->outer_us * 1e-6;
    if (const auto unwritten = turn_.arena.UnwrittenAtGlance(nonce)) {
      turn_.subjects[i]->EndWith({v1::VERDICT_INCORRECT, "WRONG_WHEN_TIMED", absl::StrCat("in a timed call ", *unwritten, " was not written"),
                                  {"verify draws were right, a timed call was not"}});
      continue;
    }
    samples[i] = Weigh(*turn_.subjects[i], *time);
    samples[i].slowed = slowed;
    samples[i].clock_mhz = turn_.device.clock_mhz();
    const double copying = support::MonotonicSeconds();
    if (copies) turn_.arena.CopyOutputs(*rooms_[called]);
    out_.guard_s += support::MonotonicSeconds() - copying;
    if (copies && audited) kept.emplace_back(i, called);
    if (++called < alive.size() || !audited || !only_last) continue;
    if (absl::Status s = JudgeNow(i, nonce); !s.ok()) return s;
  }
  const uint64_t after = kept.empty() || guarded ? digest : turn_.inputs.Digest();
  for (const auto& [i, room] : kept) out_.captures.push_back({nonce, i, std::move(rooms_[room]), after});
  ++round_;
  return samples;
}

}  // namespace kernelopt::worker
