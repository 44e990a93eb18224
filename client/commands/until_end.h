// Waiting for a job's end and saying what came of it; shared by wait, follow,
// submit --follow and benchmark.
#pragma once

#include <string>

#include "client/commands/command.h"

namespace kernelopt::client {

struct UntilEnd {
  double timeout_s = 0;     // 0: as long as it takes
  bool progress = true;     // show a progress line
  bool print_result = true; // and the table at the end
  std::string output_dir;   // write the reports there; empty: do not
};

// Exit code of the job, or kWaitTimedOut, or that of the failure. SIGINT ends
// the waiting with kInterrupted and leaves the job alone.
Exit WaitUntilEnd(Context& context, const std::string& job, const UntilEnd& options);

// Fetches benchmark.md, correctness.md and result.json and writes them.
absl::Status WriteReports(Context& context, const std::string& job, const std::string& directory);

}  // namespace kernelopt::client
