#include "judge/left_alone.h"

#include "absl/strings/str_cat.h"

namespace kernelopt::worker {

absl::Status CheckInputs(Turn& turn, Subject& subject, const Filled& filled) {
  if (turn.inputs.Digest() == filled.digest) return absl::OkStatus();
  subject.EndWith({v1::VERDICT_INTEGRITY_VIOLATION, "INPUT_CHANGED",
                   "the inputs were changed, though they are read-only to solutions",
                   {"the digest of the inputs after the call is not the one before it"}});
  return FillInputs(turn, filled.nonce, filled.content);
}

void CheckMemory(Turn& turn, Subject& subject) {
  if (!subject.alive()) return;
  const int64_t left = turn.device.FreeBytes(), needed = turn.arena.reserve_bytes();
  if (left >= needed) return;
  subject.EndWith({v1::VERDICT_OUT_OF_MEMORY, "DEVICE_MEMORY",
                   absl::StrCat("the solution left ", left >> 20, " MiB of the device's memory, and the judge needs ", needed >> 20,
                                " MiB to go on; use less memory, or smaller dims"),
                   {}});
}

}  // namespace kernelopt::worker
