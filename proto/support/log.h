// Log lines of our programs: to stderr, for people or as JSON Lines.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace kernelopt::support {

// Lines `2026-11-21T10:00:00.000Z info text` from now on.
void StartLog(const std::string& program);
// "text", or "json": {"time","level","program","message"} one object a line.
// INVALID_ARGUMENT for anything else.
absl::Status SetLogFormat(const std::string& format);

}  // namespace kernelopt::support
