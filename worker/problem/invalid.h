// INVALID_PROBLEM with its reason and what to do about it.
#pragma once

#include <string>

namespace kernelopt::worker {

struct InvalidProblem {
  std::string reason, message;
};

}  // namespace kernelopt::worker
