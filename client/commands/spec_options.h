// The options of submit and benchmark, and the JobSpec they make.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/commands/command.h"
#include "client/lib/submission.h"

namespace kernelopt::client {

struct SpecOptions {
  std::string solution, reference, problem, output_dir;
  std::string implementation = "auto";
  std::string baselines;  // empty: the configured default
  std::string timing_method = "cuda_event";
  std::string device, priority, label, run, arch, request_id;
  std::optional<int> gpu, num_trials, num_warmup, discard_first, prewarm_calls;
  int64_t ptr_size = 0, seed = 42;
  std::optional<double> atol, rtol, run_timeout_s, queue_timeout_s, call_timeout_s;
  std::vector<std::string> dims, with, flags, workloads, after, after_any;
  std::string not_before;
  bool hold = false;
};

// Declares them; `command` keeps unknown --NAME=VALUE arguments, which become
// dims.
void AddSpecOptions(CLI::App& command, SpecOptions& options);

// Reads the files into `submission`. INVALID_ARGUMENT says which option is
// wrong and what to write instead.
absl::StatusOr<v1::JobSpec> MakeSpec(const SpecOptions& options,
                                     const std::vector<std::string>& extras,
                                     Context& context, Submission& submission);

}  // namespace kernelopt::client
