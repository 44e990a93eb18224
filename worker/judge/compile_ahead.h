// Compiles the Triton kernels of a solution before its turn (runner/kopt_ahead.py), which else its first call does, for
// a second or ten of the GPU's time.
//
// A process of its own, without a GPU or any data of the job, is given the files and the sizes, and packs what the
// compilers put in their cache. That depends on nothing else, so it is kept for jobs with the same files and sizes.
// Hidden workloads are left out: one process sees all others. Used from the job thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "build/compiler.h"
#include "judge/job_plan.h"

namespace kernelopt::worker {

// For PythonStarter::UseCache; empty where nothing was compiled, which `log` is told.
std::string CompileAhead(Bench& bench, const std::vector<SourceText>& files, const JobPlan& plan,
                         const std::function<void(std::string_view)>& log);

}  // namespace kernelopt::worker
