// What a call must leave to those that are called after it: the inputs, and memory of the device.
#pragma once

#include "judge/turn.h"

namespace kernelopt::worker {

// Content of the inputs as it was filled.
struct Filled {
  uint64_t nonce = 0;
  Arena::Content content = Arena::Content::kPlain;
  uint64_t digest = 0;  // turn.inputs.Digest() then
};

// Condemns the subject that was just called where the inputs have changed, and makes
// them again, so that whoever is called next on them is not accused in its place
// (a GPU's read-only mappings can be made writable by whoever tries).
absl::Status CheckInputs(Turn& turn, Subject& subject, const Filled& filled);

// Condemns it where it leaves less of the device's memory than the judge still
// needs for this turn: nothing limits what a process takes of a GPU.
void CheckMemory(Turn& turn, Subject& subject);

}  // namespace kernelopt::worker
