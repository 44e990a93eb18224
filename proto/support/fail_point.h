// Named places at which a test can end the program, as a crash there would.
//
// Compiled in only with KOPT_FAIL_POINTS (the presets that build tests); in a
// release build the macro is nothing. FAIL_POINT=name[:N] in the environment
// kills the process with SIGKILL when it comes by `name` for the Nth time.
#pragma once

#include <vector>

namespace kernelopt::support {

#ifdef KOPT_FAIL_POINTS
void PassFailPoint(const char* name);
#define KOPT_FAIL_POINT(name) ::kernelopt::support::PassFailPoint(name)
#else
#define KOPT_FAIL_POINT(name) static_cast<void>(0)
#endif

// All names, for the test that dies at each of them.
inline std::vector<const char*> FailPoints() {
  return {"daemon.before_commit", "daemon.after_commit",    "daemon.after_lease_sent",
          "daemon.before_receipt", "daemon.blob_renamed",   "worker.lease_taken",
          "worker.turn_begun",     "worker.before_spool",   "worker.after_spool",
          "worker.after_send",     "worker.before_unspool"};
}

}  // namespace kernelopt::support
