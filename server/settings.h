// Settings of kernelopt-d. To add one: a line in settings.cc; `kernelopt-d
// --help-settings` and server/README.md show the table.
#pragma once

#include <vector>

#include "support/config.h"

namespace kernelopt::server {

std::vector<support::Setting> ServerSettings();

// Default state directory and socket: system places for root, XDG otherwise.
std::string DefaultStateDirectory();
std::string DefaultRuntimeDirectory();

}  // namespace kernelopt::server
