// Settings of koptctl; `koptctl config show` prints them.
#pragma once

#include <string>
#include <vector>

#include "support/config.h"

namespace kernelopt::client {

std::vector<support::Setting> ClientSettings();
// Files read, weakest first; missing ones are skipped.
absl::Status LoadSettings(support::Config& config);

// $XDG_STATE_HOME/kernelopt.
std::string StateHome();

}  // namespace kernelopt::client
