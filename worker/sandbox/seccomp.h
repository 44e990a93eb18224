// The seccomp filters, as BPF programs in a sealed file for bwrap --seccomp.
#pragma once

#include "absl/status/statusor.h"
#include "sandbox/sandbox.h"
#include "support/files.h"

namespace kernelopt::worker {

// A memfd positioned at its start.
absl::StatusOr<support::UniqueFd> SeccompProgram(SeccompProfile profile);

}  // namespace kernelopt::worker
