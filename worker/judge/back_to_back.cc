// The bound that nothing escapes: a batch of calls, each on inputs of its own,
// against the judge's wall clock. What a call hides from its events (work on
// another stream, or after the last event) still has to be done before the batch
// ends. What every batch costs once, the hand-over, is taken off; so the GPU must
// be the judge's until go.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "judge/record.h"
#include "judge/turn.h"
#include "measure/sample.h"
#include "measure/stats.h"
#include "support/ids.h"

namespace kernelopt::worker {
namespace {

constexpr int kMostCalls = 64;
// Below this the wall clock of single calls, which is right to a few
// microseconds, bounds them as well.
constexpr int kFewestCalls = 8;
// A batch that draws full power for longer lets the clock sink below that of
// single calls.
constexpr double kMostBatchUs = 10'000;
constexpr int kRepeats = 3;
constexpr int kAudited = 2;  // calls of each batch, by chance
constexpr double kMemoryShare = 0.25;  // of what is free

class Batches {
 public:
  Batches(Turn& turn, TimedRounds& out) : turn_(turn), out_(out) {}

  absl::Status Run() {
    const int calls = Calls();
    if (calls < kFewestCalls || !turn_.arena.MakeSets(calls).ok()) return absl::OkStatus();
    nonces_.resize(static_cast<size_t>(calls));
    absl::Status status;
    for (size_t i = 0; i < turn_.subjects.size() && status.ok(); ++i) {
      Subject& subject = *turn_.subjects[i];
      if (!subject.alive() || subject.builtin()) continue;
      status = subject.TakeSets(turn_.arena, turn_.call_timeout_us);
      if (status.ok() && subject.alive()) status = Measure(i, calls);
    }
    turn_.arena.DropSets();
    return status;
  }

 private:
  int Calls() const {
    double longest = 0;
    for (const auto& samples : out_.samples) {
      longest = std::max(longest, Median(Kept(Screen(samples).us)));
    }
    const auto set = turn_.arena.set_bytes();
    const auto room = static_cast<int64_t>(kMemoryShare * static_cast<double>(turn_.device.FreeBytes())) /
                      std::max<int64_t>(1, set[0] + set[1]);
    // make_inputs() runs for every set.
    const int64_t most = turn_.arena.contract().make_inputs ? kFewestCalls : kMostCalls;
    return static_cast<int>(std::min({most, room, static_cast<int64_t>(kMostBatchUs / std::max(longest, 1.0))}));
  }

  // New content in the first `sets`.
  absl::Status Fill(int sets) {
    for (int set = 0; set < sets; ++set) {
      const uint64_t nonce = nonces_[static_cast<size_t>(set)] = support::RandomU64();
      turn_.arena.Select(set);
      const absl::Status filled = FillInputs(turn_, nonce);
      if (filled.ok()) turn_.arena.ResetOutputs(nonce, Arena::Which::kSubject);
      turn_.arena.Select(-1);
      if (!filled.ok()) return filled;
    }
    return absl::OkStatus();
  }

  absl::Status Measure(size_t index, int calls) {
    Subject& subject = *turn_.subjects[index];
    // The shortest: what the machine does besides only lengthens a batch, and
    // whoever leaves work out is found by the audit of each.
    BackToBack best{.calls = calls, .us = std::numeric_limits<double>::infinity()};
    const int repeats = turn_.arena.contract().make_inputs ? 1 : kRepeats;
    int early = 0;
    for (int repeat = -1; repeat < repeats; ++repeat) {  // the first sees every address
      if (turn_.sink.Stopped()) return absl::CancelledError("stopped");
      if (absl::Status s = Fill(calls); !s.ok()) return s;
      const auto time = subject.Batch(turn_.device, calls, calls, turn_.call_timeout_us);
      if (!time) return absl::OkStatus();
      if (repeat < 0) continue;
      // One that the process began before it was told so would seem shorter.
      if (time->ready_us > turn_.calibration.ready_us + kEarlyUs) {
        early += turn_.device.EvictedAlone() ? 1 : 0;
      } else {
        best.us = std::min(best.us, PerCall(*time, calls));
        best.host_us = time->host_us / calls;
      }
      if (absl::Status s = KeepForAudit(index, calls); !s.ok() || !subject.alive()) return s;
    }
    if (early == repeats) subject.Condemn(WorksBeforeCalls(early, repeats));
    if (std::isinf(best.us)) return absl::OkStatus();
    for (int repeat = 0; repeat < 2; ++repeat) {  // on one set, which is warm the second time
      const auto time = subject.Batch(turn_.device, calls, 1, turn_.call_timeout_us);
      if (!time) return absl::OkStatus();
      best.warm_us = PerCall(*time, calls);
    }
    out_.back_to_back[index] = best;
    return absl::OkStatus();
  }

  double PerCall(const CallTime& time, int calls) const {
    return (time.outer_us - turn_.calibration.handover_us - std::min(time.lead_us, kMostLeadUs)) / calls;
  }

  absl::Status KeepForAudit(size_t index, int calls) {
    for (int k = 0; k < kAudited; ++k) {
      const auto set = static_cast<int>(support::RandomU64() % static_cast<uint64_t>(calls));
      turn_.arena.Select(set);
      const auto broken = turn_.arena.BrokenCanary(nonces_[static_cast<size_t>(set)]);
      auto outputs = turn_.arena.CaptureOutputs();
      turn_.arena.Select(-1);
      if (broken) {
        turn_.subjects[index]->CondemnOutOfBounds(*broken);
        return absl::OkStatus();
      }
      if (!outputs.ok()) return outputs.status();
      out_.captures.push_back({nonces_[static_cast<size_t>(set)], index, *std::move(outputs), std::nullopt});
    }
    return absl::OkStatus();
  }

  Turn& turn_;
  TimedRounds& out_;
  std::vector<uint64_t> nonces_;  // of each set
};

}  // namespace

absl::Status TakeBackToBack(Turn& turn, TimedRounds& out) {
  out.back_to_back.resize(turn.subjects.size());
  if (turn.device.clock() != Clock::kEvents) return absl::OkStatus();
  return Batches(turn, out).Run();
}

}  // namespace kernelopt::worker
