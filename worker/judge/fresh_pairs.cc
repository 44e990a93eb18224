// Pairs of fresh processes: a process keeps its luck (where its pages and its
// stack lie) for life, and only other processes show how much that was.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "judge/one_round.h"
#include "measure/compare.h"
#include "measure/rounds.h"
#include "support/ids.h"

namespace kernelopt::worker {
namespace {

// Starting two runners, with their sandboxes; only chooses between more pairs
// and more rounds.
constexpr double kPairUs = 25'000;
// Pairs of which one call is audited. Whoever wants to gain must cheat in most
// calls, since the centre of a pair's ratios ignores the odd one.
constexpr int kAuditedPairs = 12;

// As many as memory still holds; at least one.
int PairsToAudit(Turn& turn, size_t subjects, const TimedRounds& out) {
  int64_t held = 0;
  for (const Capture& capture : out.captures) held += capture.outputs->size();
  const int64_t each = std::max<int64_t>(1, turn.arena.capture_bytes() * static_cast<int64_t>(subjects));
  return static_cast<int>(std::clamp<int64_t>((kCaptureBytes - held) / each, 1, kAuditedPairs));
}

}  // namespace

absl::Status Respawn(Turn& turn, const std::vector<size_t>& who, Spares& spares) {
  for (const size_t i : who) {
    Subject& subject = *turn.subjects[i];
    if (subject.one_process() || !subject.alive()) continue;
    const absl::Status loaded = subject.python ? subject.LoadPythonAgain(turn.arena, spares, turn.call_timeout_us)
                                               : subject.Load(turn.arena, spares, turn.call_timeout_us);
    if (!loaded.ok()) return loaded;
    if (!subject.alive()) continue;
    subject.StopWhen([&turn] { return turn.sink.Stopped(); });
  }
  return absl::OkStatus();
}

absl::Status TakeFreshPairs(Turn& turn, Spares& spares, size_t candidate,
                            const std::vector<size_t>& baselines, FreshNeeds needs,
                            TimedRounds& out) {
  // A GPU's runner takes 0.2 s to make: a few processes (TakeProcesses) and what
  // is known of the rest take the place of pairs.
  if (baselines.empty() || turn.device.clock() == Clock::kEvents) return absl::OkStatus();
  needs.round_us = out.round_us;
  needs.pair_us = kPairUs;
  const FreshPlan plan = PlanFreshPairs(needs);
  std::vector<size_t> who = baselines;
  who.push_back(candidate);
  RoundTaker taker(turn, out);
  int audits = PairsToAudit(turn, who.size(), out);
  out.fresh.resize(turn.subjects.size());
  for (int pair = 0; pair < plan.pairs; ++pair) {
    turn.sink.Progress(v1::STAGE_TIME, pair, plan.pairs,
                       absl::StrCat("fresh processes ", pair + 1, " of ", plan.pairs));
    if (absl::Status s = Respawn(turn, who, spares); !s.ok()) return s;
    // Every pair with the same chance, and every call of it, untimed ones too.
    int audited = plan.rounds;
    if (support::RandomU64() % static_cast<uint64_t>(plan.pairs - pair) < static_cast<uint64_t>(audits)) {
      --audits;
      audited = static_cast<int>(support::RandomU64() % static_cast<uint64_t>(plan.rounds + kFreshUntimed)) - kFreshUntimed;
    }
    std::vector<std::vector<Sample>> columns(turn.subjects.size());
    for (int round = -kFreshUntimed; round < plan.rounds; ++round) {
      auto samples = taker.Take(who, round == audited ? Audit::kYes : Audit::kNo);
      if (!samples.ok()) return samples.status();
      for (const size_t i : who) {
        if (round >= 0) columns[i].push_back((*samples)[i]);
      }
    }
    for (const size_t i : who) out.fresh[i].insert(out.fresh[i].end(), columns[i].begin(), columns[i].end());
    if (!turn.subjects[candidate]->alive()) return absl::OkStatus();
    const Series mine = Screen(columns[candidate]);
    for (const size_t i : baselines) {
      if (!turn.subjects[i]->alive()) continue;
      const double ratio = PairedLogRatio(Screen(columns[i]).us, mine.us);
      if (!std::isnan(ratio)) out.pair_ratios[i].push_back(ratio);
    }
  }
  return absl::OkStatus();
}

}  // namespace kernelopt::worker
