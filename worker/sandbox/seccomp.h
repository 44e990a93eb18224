// The seccomp filters, as BPF programs in a sealed file for bwrap --seccomp.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "sandbox/sandbox.h"
#include "support/files.h"

namespace kernelopt::worker {

// A memfd positioned at its start. `allowed`: system calls to leave out of what
// is forbidden.
absl::StatusOr<support::UniqueFd> SeccompProgram(SeccompProfile profile,
                                                 const std::vector<std::string>& allowed = {});

}  // namespace kernelopt::worker
