#include <algorithm>

#include "absl/strings/str_cat.h"
#include "values/content.h"
#include "values/precision.h"
#include "judge/expect.h"
#include "judge/left_alone.h"
#include "support/clock.h"
#include "support/ids.h"

namespace kernelopt::worker {
namespace {

enum class Draw { kPublic, kSecret, kStress };

void AddPreview(Turn& turn, size_t parameter, v1::OutputCheck& record) {
  const Parameter& p = turn.arena.contract().parameters[parameter];
  const int64_t count = std::min<int64_t>(8, p.elements()), bytes = count * static_cast<int64_t>(SizeOf(p.dtype));
  const auto got = turn.arena.ops().ReadAll(turn.arena.Tensor(parameter), bytes);
  const auto expected = turn.arena.ops().ReadAll(turn.arena.Tensor(parameter, Arena::Which::kExpected), bytes);
  for (int64_t i = 0; i < count; ++i) {
    record.add_preview_got(LoadElement(p.dtype, got.data(), i));
    record.add_preview_expected(LoadElement(p.dtype, expected.data(), i));
  }
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

class Verifier {
 public:
  Verifier(Turn& turn, Verified& out) : turn_(turn), out_(out), expected_(turn) {}

  absl::Status Run() {
    const auto seed = static_cast<uint64_t>(turn_.spec.problem().seed());
    if (absl::Status s = OneDraw(seed, Draw::kPublic); !s.ok()) return s;
    for (int i = 0; i < kSecretDraws && CountAlive(turn_.subjects) > 0; ++i) {
      if (absl::Status s = OneDraw(support::RandomU64(), Draw::kSecret); !s.ok()) return s;
    }
    if (CountAlive(turn_.subjects) == 0) return absl::OkStatus();
    return OneDraw(support::RandomU64(), Draw::kStress);
  }

 private:
  absl::Status OneDraw(uint64_t seed, Draw draw) {
    if (turn_.sink.Stopped()) return absl::CancelledError("stopped");
    out_.seeds.push_back(seed);
    constexpr int kDraws = kSecretDraws + 2;
    turn_.sink.Progress(v1::STAGE_VERIFY, static_cast<int>(out_.seeds.size()) - 1, kDraws,
                        absl::StrCat("draw ", out_.seeds.size(), " of ", kDraws));
    const std::string why = draw == Draw::kStress ? WhyNoStress() : "";
    if (!why.empty()) return SkipStress(why);
    const auto content = draw == Draw::kStress ? Arena::Content::kStress : Arena::Content::kPlain;
    if (absl::Status s = FillInputs(turn_, seed, content); !s.ok()) return s;
    filled_ = {seed, content, turn_.inputs.Digest()};
    // Figures are taken from the public draw; the stress draw needs to know
    // whether the reference is accurate.
    const double begin = support::MonotonicSeconds();
    const auto computed = expected_.Compute(seed, draw == Draw::kSecret ? Precision::kOwn : Precision::kOracle);
    if (!computed.ok()) return computed.status();
    turn_.clock.Add("verify.reference", support::MonotonicSeconds() - begin);
    if (!*computed) return absl::OkStatus();
    if (draw == Draw::kStress) return Stress(seed);
    for (auto& subject : turn_.subjects) {
      if (absl::Status s = OneSubject(*subject, seed, draw); !s.ok()) return s;
    }
    if (draw != Draw::kSecret || out_.seeds.size() > 2) return absl::OkStatus();
    auto lint = LintProblem(turn_, seed, expected_.errors());
    if (!lint.ok()) return lint.status();
    out_.lint = *std::move(lint);
    return absl::OkStatus();
  }

  absl::Status OneSubject(Subject& subject, uint64_t seed, Draw draw) {
    if (turn_.sink.Stopped()) return absl::CancelledError("stopped");
    std::optional<CallTime> time;
    const double begin = support::MonotonicSeconds();
    const int prewarm = draw == Draw::kPublic ? turn_.spec.measure().prewarm_calls() : 0;
    for (int i = 0; i < prewarm && subject.alive(); ++i) {
      if (absl::Status s = CallServed(turn_, subject, seed, time); !s.ok()) return s;
    }
    if (!subject.alive()) return absl::OkStatus();
    if (absl::Status s = CallServed(turn_, subject, seed, time); !s.ok()) return s;
    if (draw == Draw::kPublic) turn_.clock.Add("verify.first calls", support::MonotonicSeconds() - begin);
    if (absl::Status s = LeaveAlone(subject); !s.ok() || !time || !subject.alive()) return s;
    if (absl::Status s = Compare(subject, draw); !s.ok()) return s;
    if (draw != Draw::kPublic || !subject.alive()) return absl::OkStatus();
    return CheckDeterminism(subject, seed);
  }

  // Inputs as they were, memory left, and nobody new in the sandbox.
  absl::Status LeaveAlone(Subject& subject) {
    if (turn_.device.clock() == Clock::kEvents) CheckMemory(turn_, subject);
    if (absl::Status s = CheckInputs(turn_, subject, filled_); !s.ok()) return s;
    if (subject.alive()) subject.CountHeads();
    return absl::OkStatus();
  }

  // All outputs of one call: keeps the figures, condemns on a mismatch.
  absl::Status Compare(Subject& subject, Draw draw) {
    const Contract& contract = turn_.arena.contract();
    const auto judged = expected_.Judge();
    if (!judged.ok()) return judged.status();
    const ReferenceErrors& errors = expected_.errors();
    int output = 0;
    for (size_t i = 0; i < contract.parameters.size(); ++i) {
      const Parameter& p = contract.parameters[i];
      if (!p.output()) continue;
      if (draw == Draw::kPublic) {
        v1::OutputCheck* fresh = subject.record().add_outputs();
        fresh->set_name(p.name);
        fresh->set_c_type(p.c_type);
        fresh->set_first_mismatch(-1);
        AddPreview(turn_, i, *fresh);
      }
      v1::OutputCheck& record = *subject.record().mutable_outputs(output);
      Merge(judged->figures[static_cast<size_t>(output++)], record);
      if (errors.count(p.name) > 0) {
        const std::vector<double>& blocks = errors.at(p.name);
        record.set_reference_error(std::max(record.reference_error(), *std::max_element(blocks.begin(), blocks.end())));
      }
    }
    subject.record().set_draws(subject.record().draws() + 1);
    if (judged->wrong && subject.alive()) subject.Condemn(*judged->wrong);
    if (draw == Draw::kPublic && turn_.oracle.used) CheckPrecision(subject, judged->figures);
    return absl::OkStatus();
  }

  void CheckPrecision(Subject& subject, const std::vector<CheckFigures>& figures) {
    const Contract& contract = turn_.arena.contract();
    size_t output = 0;
    for (const Parameter& p : contract.parameters) {
      if (!p.output()) continue;
      const auto errors = expected_.errors().find(p.name);
      const auto facts = PrecisionOf(contract, p, figures[output++], errors == expected_.errors().end() ? std::span<const double>() : errors->second);
      if (!facts || facts->found <= facts->allowed || !subject.alive()) continue;
      subject.Condemn({v1::VERDICT_INCORRECT, "PRECISION", TooImprecise(p, *facts), {}});
    }
  }

  absl::Status CheckDeterminism(Subject& subject, uint64_t seed) {
    const uint64_t key = support::RandomU64();
    const std::vector<uint64_t> before = turn_.arena.OutputDigests(key);
    std::optional<CallTime> time;
    if (absl::Status s = CallServed(turn_, subject, seed, time); !s.ok()) return s;
    if (absl::Status s = LeaveAlone(subject); !s.ok() || !time || !subject.alive()) return s;
    const bool same = turn_.arena.OutputDigests(key) == before;
    subject.record().set_deterministic(same);
    for (const Parameter& p : turn_.arena.contract().parameters) {
      if (same || !p.output() || !p.compare.deterministic || !subject.alive()) continue;
      subject.Condemn({v1::VERDICT_INCORRECT, "NOT_DETERMINISTIC",
                       absl::StrCat("the same inputs gave different bits, and the problem demands that ",
                                    p.name, " is deterministic"),
                       {}});
    }
    return absl::OkStatus();
  }

  // Values that are large, shifted, zero or repeated. It counts only where the
  // reference's own type passes against the oracle; that result lies in the
  // outputs now.
  absl::Status Stress(uint64_t seed) {
    if (!turn_.oracle.used) return SkipStress(WhyNoStress());  // it did not run on these values
    const auto own = JudgeOutputs(turn_, seed, {});
    if (!own.ok()) return own.status();
    if (own->wrong) return SkipStress("the reference itself is not accurate on it");
    for (auto& subject : turn_.subjects) {
      if (!subject->alive()) continue;
      if (absl::Status s = StressSubject(*subject, seed); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  std::string WhyNoStress() const {
    if (turn_.arena.contract().make_inputs) return "make_inputs() makes the inputs";
    return turn_.oracle.used ? "" : "no oracle in double precision";
  }

  absl::Status SkipStress(const std::string& why) {
    for (auto& subject : turn_.subjects) {
      if (subject->alive()) subject->record().set_stress(absl::StrCat("skipped: ", why));
    }
    return absl::OkStatus();
  }

  absl::Status StressSubject(Subject& subject, uint64_t seed) {
    std::optional<CallTime> time;
    if (absl::Status s = CallServed(turn_, subject, seed, time); !s.ok()) return s;
    if (absl::Status s = LeaveAlone(subject); !s.ok() || !time || !subject.alive()) return s;
    const auto judged = expected_.Judge();
    if (!judged.ok()) return judged.status();
    subject.record().set_stress(judged->wrong ? "failed" : "passed");
    if (!judged->wrong || !subject.alive()) return absl::OkStatus();
    Finding finding = *judged->wrong;
    finding.reason = "STRESS";
    finding.message = absl::StrCat("on large, shifted, zero and repeated values, which the reference computes "
                                   "accurately in its own type, ", finding.message);
    subject.Condemn(finding);
    return absl::OkStatus();
  }

  Turn& turn_;
  Verified& out_;
  Expected expected_;
  Filled filled_;
};

}  // namespace

absl::Status Verify(Turn& turn, Verified& out) { return Verifier(turn, out).Run(); }

}  // namespace kernelopt::worker
