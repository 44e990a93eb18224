#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "judge/turn.h"
#include "measure/rounds.h"
#include "measure/stats.h"
#include "support/clock.h"
#include "support/ids.h"

namespace kernelopt::worker {
namespace {

constexpr double kDropped = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kCaptureBytes = int64_t{1} << 30;  // of all captures together
constexpr double kProgressSeconds = 0.2;

class Rounds {
 public:
  Rounds(Turn& turn, TimedRounds& out) : turn_(turn), out_(out), seed_(support::RandomU64()) {
    const size_t n = turn.subjects.size();
    out_.net_us.resize(n);
    out_.inner_us.resize(n);
    out_.dropped.resize(n);
    const v1::MeasureSpec& measure = turn.spec.measure();
    plan_.trials = measure.num_trials();
    plan_.discard = measure.discard_first();
    untimed_ = measure.num_warmup() + measure.discard_first();
  }

  absl::Status Run() {
    for (int i = 0; i < untimed_ && CountAlive(turn_.subjects) > 0; ++i) {
      if (absl::Status s = OneRound(Kind::kUntimed); !s.ok()) return s;
    }
    begin_ = support::MonotonicSeconds();
    while (CountAlive(turn_.subjects) > 0) {
      // One more round than asked is never run: the last is known as such only
      // when its predecessor was the last but one.
      const bool last = plan_.trials > 0 ? so_far_.kept + 1 == plan_.trials
                                         : !WantMoreRounds(plan_, so_far_) && so_far_.kept > 0;
      if (absl::Status s = OneRound(last ? Kind::kLast : Kind::kKept); !s.ok()) return s;
      if (last) break;
    }
    return absl::OkStatus();
  }

 private:
  enum class Kind { kUntimed, kKept, kLast };

  absl::Status OneRound(Kind kind) {
    if (turn_.sink.Stopped()) return absl::CancelledError("stopped");
    const double start = support::MonotonicSeconds();
    const uint64_t nonce = support::RandomU64();
    turn_.arena.FillInputs(nonce);
    out_.fill_s += support::MonotonicSeconds() - start;
    std::vector<size_t> alive;
    for (size_t i = 0; i < turn_.subjects.size(); ++i) {
      if (turn_.subjects[i]->alive()) alive.push_back(i);
    }
    // Decided here, told to nobody: whether this round's outputs are kept.
    const bool audit = kind == Kind::kLast || (kind == Kind::kKept && WantAudit());
    for (const int k : RoundOrder(static_cast<int>(alive.size()), round_, seed_)) {
      const size_t i = alive[static_cast<size_t>(k)];
      const auto time = turn_.subjects[i]->Call(turn_.device, turn_.arena, nonce, turn_.call_timeout_us);
      if (turn_.sink.Stopped()) return absl::CancelledError("stopped");
      if (!time) continue;
      out_.calls_s += time->outer_us * 1e-6;
      if (kind != Kind::kUntimed) Keep(i, *time);
      if (audit) out_.captures.push_back({nonce, i, turn_.arena.CaptureOutputs()});
    }
    ++round_;
    if (audit) ++audited_rounds_;
    if (kind != Kind::kUntimed) EndKeptRound();
    Report();
    return absl::OkStatus();
  }

  // First kept round, and some by chance; as far as memory allows.
  bool WantAudit() {
    const auto bytes = turn_.arena.capture_bytes() * static_cast<int64_t>(turn_.subjects.size());
    if (bytes * (audited_rounds_ + 2) > kCaptureBytes && audited_rounds_ > 0) return false;
    if (so_far_.kept == 0) return true;
    return AuditByChance(support::RandomU64(), so_far_.kept, audited_rounds_ - 1, kRandomAudits);
  }

  void Keep(size_t i, const CallTime& time) {
    const double net = std::max(time.outer_us - turn_.calibration.handover_us, 1e-3);
    const double band = std::max(turn_.calibration.band_us, 0.03 * net);
    const bool disturbed = std::fabs(net - time.inner_us) > band;
    if (disturbed) ++out_.dropped[i];
    out_.net_us[i].push_back(disturbed ? kDropped : net);
    out_.inner_us[i].push_back(time.inner_us);
  }

  void EndKeptRound() {
    ++so_far_.kept;
    so_far_.spent_us = (support::MonotonicSeconds() - begin_) * 1e6;
    // A subject that died leaves the columns equally long.
    for (auto& column : out_.net_us) column.resize(static_cast<size_t>(so_far_.kept), kDropped);
    if (so_far_.kept < kAdaptMin) return;
    so_far_.worst_error = 0;
    for (size_t i = 0; i < out_.net_us.size(); ++i) {
      if (!turn_.subjects[i]->alive()) continue;
      std::vector<double> kept;
      for (const double us : out_.net_us[i]) {
        if (!std::isnan(us)) kept.push_back(us);
      }
      const Summary s = Summarize(kept);
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
  const uint64_t seed_;
  RoundPlan plan_;
  RoundsSoFar so_far_;
  int untimed_ = 0, round_ = 0, audited_rounds_ = 0;
  double begin_ = 0, reported_ = 0;
};

}  // namespace

absl::Status TimeRounds(Turn& turn, TimedRounds& rounds) {
  for (auto& subject : turn.subjects) {
    if (subject->alive() && subject->builtin() && !subject->serves_alone()) {
      if (absl::Status s = subject->StartServing(); !s.ok()) return s;
    }
  }
  if (absl::Status s = Rounds(turn, rounds).Run(); !s.ok()) return s;
  for (auto& subject : turn.subjects) {
    if (subject->alive() && subject->builtin() && !subject->serves_alone()) {
      if (absl::Status s = subject->StopServing(); !s.ok()) return s;
    }
  }
  return absl::OkStatus();
}

}  // namespace kernelopt::worker
