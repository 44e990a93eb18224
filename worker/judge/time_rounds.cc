#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "judge/one_round.h"
#include "measure/rounds.h"
#include "measure/stats.h"
#include "support/clock.h"
#include "support/ids.h"

namespace kernelopt::worker {
namespace {

constexpr double kProgressSeconds = 0.2;

class Rounds {
 public:
  Rounds(Turn& turn, TimedRounds& out) : turn_(turn), out_(out), taker_(turn, out) {
    out_.samples.resize(turn.subjects.size());
    const v1::MeasureSpec& measure = turn.spec.measure();
    plan_.trials = measure.num_trials();
    plan_.discard = measure.discard_first();
    if (turn.device.clock() == Clock::kEvents) plan_.precision = kEventPrecision;
    untimed_ = measure.num_warmup() + measure.discard_first();
    for (size_t i = 0; i < turn.subjects.size(); ++i) {
      everyone_.push_back(i);
      if (turn.subjects[i]->candidate()) out_.candidate_band_us = BandUs(turn, *turn.subjects[i]);
    }
  }

  absl::Status Run() {
    for (int i = 0; i < untimed_ && CountAlive(turn_.subjects) > 0; ++i) {
      if (auto s = taker_.Take(everyone_, Audit::kNo); !s.ok()) return s.status();
    }
    if (absl::Status s = EachPython(&Subject::BeginTimingPython); !s.ok()) return s;
    begin_ = support::MonotonicSeconds();
    while (CountAlive(turn_.subjects) > 0) {
      // One more round than asked is never run: the last is known as such only
      // when its predecessor was the last but one.
      const bool last = plan_.trials > 0 ? so_far_.kept + 1 == plan_.trials
                                         : !WantMoreRounds(plan_, so_far_) && so_far_.kept > 0;
      if (absl::Status s = KeptRound(last); !s.ok()) return s;
      if (last) break;
    }
    out_.round_us = so_far_.spent_us / std::max(1, so_far_.kept);
    return EachPython(&Subject::EndTimingPython);
  }

 private:
  absl::Status EachPython(absl::Status (Subject::*what)(double)) {
    for (auto& subject : turn_.subjects) {
      if (!subject->alive() || !subject->python) continue;
      if (absl::Status s = (*subject.*what)(turn_.call_timeout_us); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  absl::Status KeptRound(bool last) {
    if (turn_.sink.Stopped()) return absl::CancelledError("stopped");
    const bool audit = last || WantAudit();
    if (audit) MakeRoom();
    auto samples = taker_.Take(everyone_, audit ? Audit::kYes : Audit::kNo);
    if (!samples.ok()) return samples.status();
    if (audit) ++audited_;
    // A subject that died leaves the columns equally long.
    for (size_t i = 0; i < samples->size(); ++i) out_.samples[i].push_back((*samples)[i]);
    ++so_far_.kept;
    so_far_.spent_us = (support::MonotonicSeconds() - begin_) * 1e6;
    if (IsLookPoint(so_far_.kept)) LookAtError();
    Report();
    return absl::OkStatus();
  }

  // Rounds whose outputs fit in memory, at least two.
  int64_t Slots() const {
    const auto bytes = turn_.arena.capture_bytes() * static_cast<int64_t>(turn_.subjects.size());
    return std::max<int64_t>(2, kCaptureBytes / std::max<int64_t>(1, bytes));
  }

  // First kept round, and some by chance. Where memory holds few, each of the
  // later rounds is kept with the same chance (a reservoir).
  bool WantAudit() {
    if (so_far_.kept == 0) return true;
    const int64_t slots = Slots();
    if (slots <= kRandomAudits + 2) {
      return support::RandomU64() % static_cast<uint64_t>(so_far_.kept) < static_cast<uint64_t>(slots - 1);
    }
    return AuditByChance(support::RandomU64(), so_far_.kept, audited_ - 1, kRandomAudits);
  }

  // Forgets one audited round, never the first.
  void MakeRoom() {
    std::vector<uint64_t> rounds;
    for (const Capture& capture : out_.captures) {
      if (rounds.empty() || rounds.back() != capture.nonce) rounds.push_back(capture.nonce);
    }
    if (static_cast<int64_t>(rounds.size()) < Slots()) return;
    const uint64_t victim = rounds[1 + support::RandomU64() % (rounds.size() - 1)];
    std::erase_if(out_.captures, [&](const Capture& capture) { return capture.nonce == victim; });
  }

  void LookAtError() {
    so_far_.worst_error = 0;
    for (size_t i = 0; i < out_.samples.size(); ++i) {
      if (!turn_.subjects[i]->alive()) continue;
      const Summary s = Summarize(Kept(Screen(out_.samples[i]).us));
      const double error = s.median > 0 ? s.median_error / s.median : 1;
      if (error < so_far_.worst_error) continue;
      so_far_.worst_error = error;
      so_far_.worst_error_us = s.median_error;
    }
  }

  void Report() {
    const double now = support::MonotonicSeconds();
    if (now - reported_ < kProgressSeconds) return;
    reported_ = now;
    const int total = plan_.trials > 0 ? plan_.trials : std::max(kAdaptStart, so_far_.kept + 1);
    turn_.sink.Progress(v1::STAGE_TIME, so_far_.kept, total,
                        absl::StrCat("round ", so_far_.kept, " of ", total));
  }

  Turn& turn_;
  TimedRounds& out_;
  RoundTaker taker_;
  RoundPlan plan_;
  RoundsSoFar so_far_;
  std::vector<size_t> everyone_;
  int untimed_ = 0, audited_ = 0;
  double begin_ = 0, reported_ = 0;
};

}  // namespace

absl::Status TimeRounds(Turn& turn, TimedRounds& rounds) { return Rounds(turn, rounds).Run(); }

absl::Status StartServing(Turn& turn) {
  for (auto& subject : turn.subjects) {
    if (!subject->alive() || !subject->builtin() || subject->serves_alone()) continue;
    if (absl::Status s = subject->StartServing(); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status StopServing(Turn& turn) {
  for (auto& subject : turn.subjects) {
    if (subject->alive()) subject->LeavePython();
    if (!subject->alive() || !subject->builtin() || subject->serves_alone()) continue;
    if (absl::Status s = subject->StopServing(); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace kernelopt::worker
