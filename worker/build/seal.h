// A shared object as memory that nobody can change any more.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "support/files.h"

namespace kernelopt::worker {

absl::StatusOr<support::UniqueFd> Seal(const std::string& object);

}  // namespace kernelopt::worker
