#include "judge/outputs.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace kernelopt::worker {
namespace {

// "17", or of complex numbers "8 (imaginary part)".
std::string PlaceOf(const Parameter& p, int64_t index) {
  if (!p.complex) return absl::StrCat(index);
  return absl::StrCat(index / 2, index % 2 == 0 ? " (real part)" : " (imaginary part)");
}

Finding WhatIsWrong(const Parameter& p, const CheckFigures& f) {
  const char* const elements = p.complex ? "parts" : "elements";
  Finding finding{v1::VERDICT_INCORRECT, "MISMATCH", f.message, {}};
  if (f.mismatches > 0 && f.unwritten == f.mismatches) {
    finding.reason = "UNWRITTEN_OUTPUT";
    finding.message = absl::StrFormat("%d of %d %s of %s were never written, the first at %s", f.mismatches,
                                      f.elements, elements, p.name, PlaceOf(p, f.first_mismatch));
    return finding;
  }
  if (f.mismatches > 0 && f.nans == f.mismatches) finding.reason = "NAN";
  if (!finding.message.empty()) return finding;
  finding.message = absl::StrFormat(
      "%d of %d %s of %s are wrong, the first at %s: got %.7g, expected %.7g", f.mismatches, f.elements,
      elements, p.name, PlaceOf(p, f.first_mismatch), f.first_got, f.first_expected);
  return finding;
}

}  // namespace

absl::StatusOr<Judged> JudgeOutputs(Turn& turn, uint64_t nonce, const ReferenceErrors& errors) {
  Judged judged;
  bool custom = false;
  const Contract& contract = turn.arena.contract();
  for (size_t i = 0; i < contract.parameters.size(); ++i) {
    const Parameter& p = contract.parameters[i];
    if (!p.output()) continue;
    const auto error = errors.find(p.name);
    const std::span<const double> allowed = error != errors.end() ? error->second : std::span<const double>();
    judged.figures.push_back(turn.arena.ops().Check(p, turn.arena.Tensor(i),
                                                    turn.arena.Tensor(i, Arena::Which::kExpected), allowed, nonce));
    CheckFigures& figures = judged.figures.back();
    if (p.compare.kind == Compare::Kind::kCustom) {
      custom = true;
      // Poison is nobody's answer; but one byte of it may be an integer.
      const bool telling = IsFloating(p.dtype) || p.dtype == DType::kBool;
      figures.failed = telling ? figures.unwritten > 0 : figures.unwritten == figures.elements;
    }
    if (figures.failed && !judged.wrong) judged.wrong = WhatIsWrong(p, figures);
  }
  if (!custom || judged.wrong) return judged;
  auto answer = turn.reference.Check();
  if (!answer.ok()) return answer.status();
  if (const auto* invalid = std::get_if<InvalidProblem>(&*answer)) {
    CondemnAll(turn.subjects, FindingOf(*invalid));
    return judged;
  }
  const auto& checked = std::get<Reference::Checked>(*answer);
  if (!checked.passed) {
    judged.wrong = Finding{v1::VERDICT_INCORRECT, "CHECK",
                           absl::StrCat("check() of the problem says no",
                                        checked.message.empty() ? "" : ": ", checked.message),
                           {}};
    for (CheckFigures& figures : judged.figures) figures.failed = true;
  }
  return judged;
}

}  // namespace kernelopt::worker
