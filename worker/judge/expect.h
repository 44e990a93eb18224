// Expected values of the inputs as they lie. Used from the job thread.
#pragma once

#include <optional>

#include "judge/outputs.h"

namespace kernelopt::worker {

enum class InputCheck { kNo, kYes };  // see that the reference leaves its inputs alone

// kOwn: in the reference's own types, which is cheap, and enough for every
// subject that is close to it. kOracle: in double precision where that works.
enum class Precision { kOwn, kOracle };

// Errors of the reference's own type by output; nothing when a broken
// reference condemned everyone. The results in its own type are in the
// subjects' outputs afterwards.
absl::StatusOr<std::optional<ReferenceErrors>> Expect(Turn& turn, Precision precision,
                                                      InputCheck check = InputCheck::kNo);

// Expected values of one content, and the judgement of subjects by them: by the
// reference's own types first and, for whoever is not close to these, by the
// oracle.
class Expected {
 public:
  explicit Expected(Turn& turn) : turn_(turn) {}

  // For the inputs as they lie, whose nonce this is. False: everyone was
  // condemned.
  absl::StatusOr<bool> Compute(uint64_t nonce, Precision precision);
  // What lies in the subjects' outputs.
  absl::StatusOr<Judged> Judge();

  const ReferenceErrors& errors() const { return errors_; }

 private:
  Turn& turn_;
  ReferenceErrors errors_;
  Precision precision_ = Precision::kOwn;
  uint64_t nonce_ = 0;
};

}  // namespace kernelopt::worker
