// Further processes on a GPU. Where the driver put the channel of a process
// costs each of its launches up to 0.2 us more or less, for life, whatever the
// module, its addresses and the data (H200: one kernel of 8 us, 15 contexts: 7.96
// to 8.18 us, each within 0.05; tests/gpu/feasibility). Nothing a process can do changes that;
// others have luck of their own.
#include "absl/strings/str_cat.h"
#include "judge/one_round.h"
#include "measure/rounds.h"
#include "support/ids.h"

namespace kernelopt::worker {

absl::Status TakeProcesses(Turn& turn, Spares& spares, int processes, TimedRounds& out) {
  std::vector<size_t> everyone;
  int untimed = kFreshUntimed;
  for (size_t i = 0; i < turn.subjects.size(); ++i) {
    everyone.push_back(i);
    if (turn.subjects[i]->python && !turn.subjects[i]->one_process()) untimed = kPythonUntimed;
  }
  RoundTaker taker(turn, out);
  while (out.processes() < processes && CountAlive(turn.subjects) > 0) {
    turn.sink.Progress(v1::STAGE_TIME, out.processes(), processes,
                       absl::StrCat("process ", out.processes() + 1, " of ", processes));
    if (absl::Status s = Respawn(turn, everyone, spares); !s.ok()) return s;
    spares.Settle();
    out.process_begins.push_back(out.samples[0].size());
    // Any call of it, untimed ones too.
    const int audited = static_cast<int>(support::RandomU64() % static_cast<uint64_t>(kProcessRounds + untimed)) - untimed;
    for (int round = -untimed; round < kProcessRounds; ++round) {
      auto samples = taker.Take(everyone, round == audited ? Audit::kYes : Audit::kNo);
      if (!samples.ok()) return samples.status();
      if (round < 0) continue;
      for (size_t i = 0; i < samples->size(); ++i) out.samples[i].push_back((*samples)[i]);
    }
  }
  return absl::OkStatus();
}

}  // namespace kernelopt::worker
