// Expected values of the inputs as they lie. Used from the job thread.
#pragma once

#include <optional>

#include "judge/outputs.h"

namespace kernelopt::worker {

// Errors of the reference's own type by output; nothing when a broken
// reference condemned everyone.
absl::StatusOr<std::optional<ReferenceErrors>> Expect(Turn& turn, Reference::Ask ask);

}  // namespace kernelopt::worker
