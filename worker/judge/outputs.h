// The outputs of one call against their expected values, however the problem
// wants them compared. Used from the job thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "values/check.h"
#include "judge/death.h"
#include "judge/turn.h"

namespace kernelopt::worker {

// Errors of the reference in its own type, by output and block (BlockErrors).
using ReferenceErrors = std::map<std::string, std::vector<double>>;

struct Judged {
  std::vector<CheckFigures> figures;  // one per output, in the contract's order
  std::optional<Finding> wrong;       // the first thing that is
};

// What lies in the subjects' outputs, against expected(). Asks check() of the
// reference where the problem has one; a broken check() condemns everyone and
// answers nothing. `nonce`: of the poison.
absl::StatusOr<Judged> JudgeOutputs(Turn& turn, uint64_t nonce, const ReferenceErrors& errors);

}  // namespace kernelopt::worker
