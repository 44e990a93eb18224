// Timed calls whose outputs were kept, judged afterwards.
#include "absl/strings/str_cat.h"
#include "judge/expect.h"

namespace kernelopt::worker {
namespace {

class Audit {
 public:
  explicit Audit(Turn& turn) : turn_(turn), expected_(turn) {}

  // Captures of one round follow each other: one reference run serves all.
  absl::Status One(const Capture& capture) {
    Subject& subject = *turn_.subjects[capture.subject];
    if (!subject.alive()) return absl::OkStatus();
    if (!made_ || capture.nonce != nonce_) {
      if (absl::Status s = MakeAgain(capture); !s.ok()) return s;
    }
    if (!subject.alive()) return absl::OkStatus();  // the problem was at fault
    turn_.arena.RestoreOutputs(*capture.outputs);
    return JudgeTimedCall(subject, expected_);
  }

 private:
  absl::Status MakeAgain(const Capture& capture) {
    if (absl::Status s = FillInputs(turn_, capture.nonce); !s.ok()) return s;
    if (CountAlive(turn_.subjects) > 0 && capture.digest && turn_.inputs.Digest() != *capture.digest) {
      CondemnAll(turn_.subjects, FindingOf({"MAKE_INPUTS",
                                            "the inputs of a timed call cannot be made again: make_inputs() does "
                                            "not give the same content for the same seed"}));
    }
    const auto computed = expected_.Compute(capture.nonce, Precision::kOwn);
    if (!computed.ok()) return computed.status();
    made_ = true;
    nonce_ = capture.nonce;
    return absl::OkStatus();
  }

  Turn& turn_;
  Expected expected_;
  bool made_ = false;
  uint64_t nonce_ = 0;
};

}  // namespace

absl::Status JudgeTimedCall(Subject& subject, Expected& expected) {
  const auto judged = expected.Judge();
  if (!judged.ok()) return judged.status();
  subject.record().set_audited_calls(subject.record().audited_calls() + 1);
  if (!judged->wrong || !subject.alive()) return absl::OkStatus();
  Finding finding = *judged->wrong;
  finding.evidence.push_back("verify draws were right, a timed call was not");
  finding.message = absl::StrCat("in a timed call ", finding.message);
  finding.reason = "WRONG_WHEN_TIMED";
  subject.Condemn(finding);
  return absl::OkStatus();
}

absl::Status AuditCaptures(Turn& turn, TimedRounds& rounds) {
  Audit audit(turn);
  int done = 0;
  for (const Capture& capture : rounds.captures) {
    if (turn.sink.Stopped()) return absl::CancelledError("stopped");
    turn.sink.Progress(v1::STAGE_AUDIT, done++, static_cast<int>(rounds.captures.size()), "");
    if (absl::Status s = audit.One(capture); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace kernelopt::worker
