// What a job asks for, once its sources are read: who takes part, what is
// right, and on which workloads. Used from the job thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "build/compiler.h"
#include "judge/bench.h"
#include "judge/inputs.h"
#include "judge/turn.h"

namespace kernelopt::worker {

// Content of a blob of the job.
using Fetch = std::function<absl::StatusOr<std::string>(const std::string& digest)>;

struct WorkloadPlan {
  std::string name;  // empty: the job has no problem.json
  double weight = 1;
  bool hidden = false;
  v1::ProblemSpec problem;  // with the workload's dims
  Contract contract;
};

struct JobPlan {
  PythonHost host;
  std::string reference_source;
  Inputs::Files files;  // of the problem
  std::map<std::string, std::vector<SourceText>> sources;  // by subject id
  std::vector<WorkloadPlan> workloads;  // none when nothing can run
  bool defined() const { return !workloads.empty() && !workloads[0].name.empty(); }
};

// Condemns subjects over what is wrong with them, or everyone over the problem.
absl::StatusOr<JobPlan> PlanJob(const v1::JobSpec& spec, Bench& bench,
                                Reference& reference, const Fetch& fetch, Subjects& subjects);

}  // namespace kernelopt::worker
