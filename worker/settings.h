// Settings of kernelopt-worker. To add one: a line in settings.cc;
// worker/README.md shows the table.
#pragma once

#include <vector>

#include "support/config.h"

namespace kernelopt::worker {

std::vector<support::Setting> WorkerSettings();

}  // namespace kernelopt::worker
