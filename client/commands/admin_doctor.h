// koptctl admin doctor: looks at the installation from the outside.
#pragma once

#include "client/commands/command.h"

namespace kernelopt::client {

// Prints one line per check (ok, no, or ?? where it cannot be told) with what to
// do; exit 1 when something is wrong. Also without a daemon: then that is the
// first finding.
Exit AdminDoctor(Context& context);

}  // namespace kernelopt::client
