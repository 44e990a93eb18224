// Solutions submitted as a shared object. Nobody here saw them built, so their
// record says so.
#pragma once

#include "build/compiler.h"

namespace kernelopt::worker {

// The main file's name ends in .so.
bool IsPrebuilt(const std::string& main_path);

// COMPILE_ERROR: not a shared object for this machine.
absl::StatusOr<std::variant<Built, BuildProblem>> TakePrebuilt(const std::vector<SourceText>& files);

}  // namespace kernelopt::worker
