// Which compiler flags a job may ask for: pure.
//
// Code generation, warnings, macros, libraries by name. Not what reads or writes
// other files (plugins, response files, absolute paths), passes text on to other
// programs, or chooses the GPU's architecture, which is the device's. Compilers
// run in a sandbox; this is so that a result says all that made its binary.
#pragma once

#include <string>
#include <vector>

namespace kernelopt::server {

// `more`: beginnings that an administrator allows besides (limits.flags).
// Returns what is wrong with the first flag that may not be, or "".
std::string RefusedFlag(const std::vector<std::string>& flags, const std::vector<std::string>& more);

}  // namespace kernelopt::server
