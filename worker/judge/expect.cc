#include "judge/expect.h"

namespace kernelopt::worker {
namespace {

ReferenceErrors ErrorsOf(Turn& turn) {
  ReferenceErrors errors;
  const auto& parameters = turn.arena.contract().parameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].output()) continue;
    auto found = turn.arena.ops().Errors(parameters[i], turn.arena.Tensor(i),
                                         turn.arena.Tensor(i, Arena::Which::kExpected));
    if (!found.empty()) errors[parameters[i].name] = std::move(found);
  }
  return errors;
}

}  // namespace

absl::StatusOr<std::optional<ReferenceErrors>> Expect(Turn& turn, Precision precision, InputCheck check,
                                                      Outputs outputs) {
  const bool oracle = precision == Precision::kOracle && turn.oracle.message.empty();
  // It ends with a baseline that it served; the others need it.
  if (!turn.reference.sandbox().Alive()) {
    if (absl::Status s = turn.reference.Revive(); !s.ok()) return s;
  }
  auto answer = turn.reference.ComputeExpected(
      {.check_inputs = check == InputCheck::kYes, .oracle_seconds = oracle ? turn.oracle.seconds : 0,
       .keep_outputs = outputs == Outputs::kKeep});
  if (!answer.ok()) return answer.status();
  if (const auto* invalid = std::get_if<InvalidProblem>(&*answer)) {
    CondemnAll(turn.subjects, FindingOf(*invalid));
    return std::optional<ReferenceErrors>();
  }
  if (!oracle) return std::optional<ReferenceErrors>(ReferenceErrors());
  const auto& expected = std::get<Reference::Expected>(*answer);
  turn.oracle.used = expected.float64;
  if (!expected.float64) turn.oracle.message = expected.message;
  return std::optional<ReferenceErrors>(expected.float64 ? ErrorsOf(turn) : ReferenceErrors());
}

absl::StatusOr<bool> Expected::Compute(uint64_t nonce, Precision precision, Outputs outputs) {
  nonce_ = nonce;
  precision_ = precision;
  turn_.arena.ResetOutputs(nonce, Arena::Which::kExpected);
  auto errors = Expect(turn_, precision, InputCheck::kNo, outputs);
  if (!errors.ok()) return errors.status();
  if (!*errors) return false;
  errors_ = **std::move(errors);
  return true;
}

absl::StatusOr<Judged> Expected::Judge() {
  auto judged = JudgeOutputs(turn_, nonce_, errors_);
  const bool final = precision_ == Precision::kOracle || !turn_.oracle.used;
  if (!judged.ok() || !judged->wrong || final) return judged;
  const auto outputs = turn_.arena.CaptureOutputs();
  if (!outputs.ok()) return outputs.status();
  const auto better = Compute(nonce_, Precision::kOracle);
  if (!better.ok()) return better.status();
  turn_.arena.RestoreOutputs(**outputs);
  return *better ? JudgeOutputs(turn_, nonce_, errors_) : judged;
}

}  // namespace kernelopt::worker
