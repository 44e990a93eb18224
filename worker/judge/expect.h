// Expected values of the inputs as they lie. Used from the job thread.
#pragma once

#include <optional>

#include "judge/outputs.h"

namespace kernelopt::worker {

enum class InputCheck { kNo, kYes };  // see that the reference leaves its inputs alone

// kOwn: in the reference's own types, which is cheap, and enough for every
// subject that is close to it. kOracle: in double precision where that works.
enum class Precision { kOwn, kOracle };

// Whether the subjects' outputs may be written.
enum class Outputs { kReplace, kKeep };

// Errors of the reference's own type by output; nothing when a broken
// reference condemned everyone. The results in its own type are in the
// subjects' outputs afterwards, unless these are to be kept.
absl::StatusOr<std::optional<ReferenceErrors>> Expect(Turn& turn, Precision precision,
                                                      InputCheck check = InputCheck::kNo,
                                                      Outputs outputs = Outputs::kReplace);

// Expected values of one content, and the judgement of subjects by them: by the
// reference's own types first and, for whoever is not close to these, by the
// oracle.
class Expected {
 public:
  explicit Expected(Turn& turn) : turn_(turn) {}

  // For the inputs as they lie, whose nonce this is. False: everyone was
  // condemned.
  absl::StatusOr<bool> Compute(uint64_t nonce, Precision precision, Outputs outputs = Outputs::kReplace);
  // What lies in the subjects' outputs.
  absl::StatusOr<Judged> Judge();

  const ReferenceErrors& errors() const { return errors_; }

 private:
  Turn& turn_;
  ReferenceErrors errors_;
  Precision precision_ = Precision::kOwn;
  uint64_t nonce_ = 0;
};

// The audit of one timed call, whose outputs and expected values lie in the arena:
// counts it, condemns on a mismatch.
absl::Status JudgeTimedCall(Subject& subject, Expected& expected);

}  // namespace kernelopt::worker
