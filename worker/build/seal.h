// Bytes as memory that nobody can change any more, read from its start.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "support/files.h"

namespace kernelopt::worker {

absl::StatusOr<support::UniqueFd> Seal(const std::string& bytes);

}  // namespace kernelopt::worker
