// --problem: problem.json and the files it names.
#pragma once

#include <string>
#include <vector>

#include "client/lib/submission.h"

namespace kernelopt::client {

// Adds the definition, its reference ("reference", beside it) and the files of
// its inputs. The worker judges what it says; here only the names are needed.
// INVALID_ARGUMENT: not JSON, or no reference.
absl::Status AddProblemFile(const std::string& path, const std::vector<std::string>& workloads,
                            Submission& submission, v1::ProblemSpec& problem);

}  // namespace kernelopt::client
