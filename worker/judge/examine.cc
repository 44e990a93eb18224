// What the reference shows before any subject is called.
#include <variant>

#include "absl/strings/str_cat.h"
#include "judge/expect.h"
#include "support/ids.h"

namespace kernelopt::worker {
namespace {

bool Draws(const Contract& contract) { return contract.Compares(Compare::Kind::kStatistical); }

// Double precision of everything floating, inputs and results, beside each other.
int64_t OracleBytes(const Contract& contract) {
  int64_t bytes = 0;
  for (const Parameter& p : contract.parameters) {
    if (p.tensor() && IsFloating(p.dtype)) bytes += 2 * p.elements() * static_cast<int64_t>(sizeof(double));
  }
  return bytes;
}

std::string WhyNoOracle(Turn& turn) {
  const Contract& contract = turn.arena.contract();
  if (Draws(contract)) return "an output is compared by its distribution, which each run draws anew";
  const int64_t need = OracleBytes(contract), room = turn.device.FreeBytes() / 2;
  if (need <= room) return "";
  return absl::StrCat("double precision needs ", need >> 20, " MiB, half of the free memory is ", room >> 20, " MiB");
}

// Two prefills of the outputs: what comes out otherwise was read.
absl::Status FindInOuts(Turn& turn, uint64_t seed) {
  std::vector<uint64_t> first;
  const uint64_t prefill = support::RandomU64(), key = support::RandomU64();
  const auto digests = [&] { return turn.arena.OutputDigests(key, Arena::Which::kExpected); };
  std::vector<bool> written(turn.arena.contract().parameters.size(), false);
  const auto& parameters = turn.arena.contract().parameters;
  for (int pass = 0; pass < 2; ++pass) {
    turn.arena.PrefillExpected(seed, prefill, pass == 1);
    const std::vector<uint64_t> before = digests();
    const auto expected = Expect(turn, Precision::kOwn, pass == 0 ? InputCheck::kYes : InputCheck::kNo);
    if (!expected.ok()) return expected.status();
    if (!*expected) return absl::OkStatus();
    std::vector<uint64_t> after = digests();
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (!parameters[i].output()) continue;
      written[i] = written[i] || after[i] != before[i];
      if (pass == 0) continue;
      if (!written[i] && parameters[i].role == TensorRole::kOut) {
        CondemnAll(turn.subjects,
                   FindingOf({"REFERENCE_FAILED", absl::StrCat("the reference neither returns nor writes the output ",
                                                               parameters[i].name)}));
      } else if (after[i] != first[i] && !Draws(turn.arena.contract())) {
        turn.arena.SetRole(i, TensorRole::kInOut);
      }
    }
    first = std::move(after);
  }
  return absl::OkStatus();
}

// What is wrong with the problem is everyone's verdict.
absl::Status Accept(Turn& turn, const Inputs::Outcome& outcome) {
  if (!outcome.ok()) return outcome.status();
  if (*outcome) CondemnAll(turn.subjects, FindingOf(**outcome));
  return absl::OkStatus();
}

// The reference's own outputs lie in the subjects' memory now.
absl::Status TryCheck(Turn& turn) {
  if (!turn.arena.contract().Compares(Compare::Kind::kCustom)) return absl::OkStatus();
  const auto answer = turn.reference.Check();
  if (!answer.ok()) return answer.status();
  const auto* invalid = std::get_if<InvalidProblem>(&*answer);
  const auto* checked = std::get_if<Reference::Checked>(&*answer);
  if (checked != nullptr && checked->passed) return absl::OkStatus();
  CondemnAll(turn.subjects,
             FindingOf({"REFERENCE_FAILED", absl::StrCat("check() does not accept what the reference itself computes: ",
                                                         invalid != nullptr ? invalid->message : checked->message)}));
  return absl::OkStatus();
}

}  // namespace

absl::Status FillInputs(Turn& turn, uint64_t nonce, Arena::Content content) {
  return Accept(turn, turn.inputs.Fill(nonce, content));
}

absl::Status ExamineReference(Turn& turn, uint64_t static_seed) {
  const auto seed = static_cast<uint64_t>(turn.spec.problem().seed());
  if (absl::Status s = Accept(turn, turn.inputs.FillLasting(static_seed)); !s.ok()) return s;
  if (CountAlive(turn.subjects) == 0) return absl::OkStatus();
  if (absl::Status s = Accept(turn, turn.inputs.Probe(seed)); !s.ok()) return s;
  if (CountAlive(turn.subjects) == 0) return absl::OkStatus();
  turn.oracle.message = WhyNoOracle(turn);
  if (absl::Status s = FindInOuts(turn, seed); !s.ok()) return s;
  return CountAlive(turn.subjects) > 0 ? TryCheck(turn) : absl::OkStatus();
}

}  // namespace kernelopt::worker
