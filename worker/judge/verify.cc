#include <algorithm>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "judge/check.h"
#include "judge/turn.h"
#include "support/ids.h"

namespace kernelopt::worker {
namespace {

Finding Invalid(const InvalidProblem& problem) {
  return {v1::VERDICT_INVALID_PROBLEM, problem.reason, problem.message, {}};
}

// Expected values of the inputs as they lie; false when everyone was condemned.
absl::StatusOr<bool> Expect(Turn& turn, Reference::InputCheck check) {
  auto answer = turn.reference.ComputeExpected(check);
  if (!answer.ok()) return answer.status();
  if (const auto* invalid = std::get_if<InvalidProblem>(&*answer)) {
    CondemnAll(turn.subjects, Invalid(*invalid));
    return false;
  }
  return true;
}

std::vector<char> CopyOf(Turn& turn, size_t parameter, Arena::Which which) {
  const char* data = turn.arena.Tensor(parameter, which);
  return {data, data + turn.arena.contract().parameters[parameter].bytes()};
}

Finding WhatIsWrong(const Parameter& p, const CheckFigures& f) {
  Finding finding{v1::VERDICT_INCORRECT, "MISMATCH", "", {}};
  if (f.unwritten == f.mismatches) {
    finding.reason = "UNWRITTEN_OUTPUT";
    finding.message = absl::StrFormat("%d of %d elements of %s were never written, the first at %d",
                                      f.mismatches, f.elements, p.name, f.first_mismatch);
    return finding;
  }
  if (f.nans == f.mismatches) finding.reason = "NAN";
  finding.message = absl::StrFormat(
      "%d of %d elements of %s are wrong, the first at %d: got %.7g, expected %.7g", f.mismatches,
      f.elements, p.name, f.first_mismatch, f.first_got, f.first_expected);
  return finding;
}

void AddPreview(Turn& turn, size_t parameter, v1::OutputCheck& record) {
  const Parameter& p = turn.arena.contract().parameters[parameter];
  for (int64_t i = 0; i < std::min<int64_t>(8, p.elements); ++i) {
    record.add_preview_got(LoadElement(p.dtype, turn.arena.Tensor(parameter), i));
    record.add_preview_expected(
        LoadElement(p.dtype, turn.arena.Tensor(parameter, Arena::Which::kExpected), i));
  }
}

// Compares all outputs of one call, keeps the figures, condemns on a mismatch.
void CompareOutputs(Turn& turn, Subject& subject, uint64_t nonce, bool first_draw) {
  const Contract& contract = turn.arena.contract();
  int output = 0;
  for (size_t i = 0; i < contract.parameters.size(); ++i) {
    const Parameter& p = contract.parameters[i];
    if (!p.output()) continue;
    if (first_draw) {
      v1::OutputCheck* fresh = subject.record().add_outputs();
      fresh->set_name(p.name);
      fresh->set_c_type(p.c_type);
      fresh->set_first_mismatch(-1);
      AddPreview(turn, i, *fresh);
    }
    const CheckFigures figures =
        CheckOutput(p, turn.arena.Tensor(i), turn.arena.Tensor(i, Arena::Which::kExpected),
                    p.atol, p.rtol, nonce);
    Merge(figures, *subject.record().mutable_outputs(output++));
    if (figures.mismatches > 0 && subject.alive()) subject.Condemn(WhatIsWrong(p, figures));
  }
  subject.record().set_draws(subject.record().draws() + 1);
}

// The main reference computes and serves in turns.
absl::Status CallServed(Turn& turn, Subject& subject, uint64_t nonce,
                        std::optional<CallTime>& time) {
  const bool switches = subject.builtin() && !subject.serves_alone();
  if (switches) {
    if (absl::Status s = subject.StartServing(); !s.ok()) return s;
  }
  time = subject.Call(turn.device, turn.arena, nonce, turn.call_timeout_us);
  if (turn.sink.Stopped()) return absl::CancelledError("stopped");
  if (switches && subject.alive()) return subject.StopServing();
  return absl::OkStatus();
}

absl::Status CheckDeterminism(Turn& turn, Subject& subject, uint64_t nonce) {
  const std::vector<char> before = turn.arena.CaptureOutputs();
  std::optional<CallTime> time;
  if (absl::Status s = CallServed(turn, subject, nonce, time); !s.ok()) return s;
  if (!time) return absl::OkStatus();
  const bool same = before == turn.arena.CaptureOutputs();
  subject.record().set_deterministic(same);
  for (const Parameter& p : turn.arena.contract().parameters) {
    if (same || !p.output() || !p.compare.deterministic || !subject.alive()) continue;
    subject.Condemn({v1::VERDICT_INCORRECT, "NOT_DETERMINISTIC",
                     absl::StrCat("the same inputs gave different bits, and the problem demands that ",
                                  p.name, " is deterministic"),
                     {}});
  }
  return absl::OkStatus();
}

absl::Status OneDraw(Turn& turn, uint64_t seed, int draw, bool& go_on) {
  turn.arena.FillInputs(seed);
  turn.arena.ResetOutputs(seed, Arena::Which::kExpected);
  const auto expected = Expect(turn, Reference::InputCheck::kNo);
  if (!expected.ok()) return expected.status();
  go_on = *expected;
  if (!go_on) return absl::OkStatus();
  for (auto& subject : turn.subjects) {
    if (turn.sink.Stopped()) return absl::CancelledError("stopped");
    if (!subject->alive()) continue;
    std::optional<CallTime> time;
    for (int i = 0; draw == 0 && i < turn.spec.measure().prewarm_calls() && subject->alive(); ++i) {
      if (absl::Status s = CallServed(turn, *subject, seed, time); !s.ok()) return s;
    }
    if (!subject->alive()) continue;
    if (absl::Status s = CallServed(turn, *subject, seed, time); !s.ok()) return s;
    if (!time) continue;
    CompareOutputs(turn, *subject, seed, draw == 0);
    if (draw == 0 && subject->alive()) {
      if (absl::Status s = CheckDeterminism(turn, *subject, seed); !s.ok()) return s;
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ExamineReference(Turn& turn) {
  const auto seed = static_cast<uint64_t>(turn.spec.problem().seed());
  const uint64_t prefills[] = {support::RandomU64(), support::RandomU64()};
  turn.arena.FillInputs(seed);
  std::vector<std::vector<char>> first, untouched;
  for (int pass = 0; pass < 2; ++pass) {
    turn.arena.PrefillExpected(seed, prefills[pass]);
    std::vector<std::vector<char>> before;
    const size_t count = turn.arena.contract().parameters.size();
    for (size_t i = 0; i < count; ++i) {
      if (turn.arena.contract().parameters[i].output()) {
        before.push_back(CopyOf(turn, i, Arena::Which::kExpected));
      }
    }
    const auto ok = Expect(turn, pass == 0 ? Reference::InputCheck::kYes : Reference::InputCheck::kNo);
    if (!ok.ok()) return ok.status();
    if (!*ok) return absl::OkStatus();
    size_t output = 0;
    for (size_t i = 0; i < count; ++i) {
      const Parameter& p = turn.arena.contract().parameters[i];
      if (!p.output()) continue;
      std::vector<char> after = CopyOf(turn, i, Arena::Which::kExpected);
      if (pass == 0) {
        first.push_back(std::move(after));
      } else if (after == before[output] && p.role == TensorRole::kOut) {
        CondemnAll(turn.subjects,
                   {v1::VERDICT_INVALID_PROBLEM, "REFERENCE_FAILED",
                    absl::StrCat("the reference neither returns nor writes the output ", p.name), {}});
        return absl::OkStatus();
      } else if (after != first[output]) {
        turn.arena.SetRole(i, TensorRole::kInOut);
      }
      ++output;
    }
  }
  return absl::OkStatus();
}

absl::Status Verify(Turn& turn, std::vector<uint64_t>& seeds) {
  seeds = {static_cast<uint64_t>(turn.spec.problem().seed())};
  for (int i = 0; i < kSecretDraws; ++i) seeds.push_back(support::RandomU64());
  bool go_on = true;
  for (size_t draw = 0; draw < seeds.size() && go_on && CountAlive(turn.subjects) > 0; ++draw) {
    if (turn.sink.Stopped()) return absl::CancelledError("stopped");
    turn.sink.Progress(v1::STAGE_VERIFY, static_cast<int>(draw), static_cast<int>(seeds.size()),
                       absl::StrCat("draw ", draw + 1, " of ", seeds.size()));
    if (absl::Status s = OneDraw(turn, seeds[draw], static_cast<int>(draw), go_on); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status AuditCaptures(Turn& turn, TimedRounds& rounds) {
  const Contract& contract = turn.arena.contract();
  int done = 0;
  uint64_t current = 0;
  for (const Capture& capture : rounds.captures) {
    if (turn.sink.Stopped()) return absl::CancelledError("stopped");
    turn.sink.Progress(v1::STAGE_AUDIT, done++, static_cast<int>(rounds.captures.size()), "");
    Subject& subject = *turn.subjects[capture.subject];
    if (!subject.alive()) continue;
    // Captures of one round follow each other: one reference run serves all.
    if (capture.nonce != current) {
      turn.arena.FillInputs(capture.nonce);
      turn.arena.ResetOutputs(capture.nonce, Arena::Which::kExpected);
      const auto expected = Expect(turn, Reference::InputCheck::kNo);
      if (!expected.ok()) return expected.status();
      if (!*expected) return absl::OkStatus();
      current = capture.nonce;
    }
    for (size_t i = 0; i < contract.parameters.size(); ++i) {
      const Parameter& p = contract.parameters[i];
      if (!p.output()) continue;
      const CheckFigures figures =
          CheckOutput(p, capture.outputs.data() + turn.arena.CaptureOffset(i),
                      turn.arena.Tensor(i, Arena::Which::kExpected), p.atol, p.rtol, capture.nonce);
      if (figures.mismatches == 0 || !subject.alive()) continue;
      Finding finding = WhatIsWrong(p, figures);
      finding.evidence.push_back("verify draws were right, a timed call was not");
      finding.message = absl::StrCat("in a timed call ", finding.message);
      finding.reason = "WRONG_WHEN_TIMED";
      subject.Condemn(finding);
    }
    subject.record().set_audited_calls(subject.record().audited_calls() + 1);
  }
  return absl::OkStatus();
}

}  // namespace kernelopt::worker
