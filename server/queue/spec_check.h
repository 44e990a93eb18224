// Is a JobSpec sound, and what are its defaults: pure.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "kernelopt/v1/job.pb.h"

namespace kernelopt::server {

// Named limits of a spec; configuration may change each.
struct SpecLimits {
  int max_subjects = 16;
  int max_files = 256;  // of one solution
  int max_dims = 64;
  int max_workloads = 64;  // named by one job
  int max_flags = 64;
  std::vector<std::string> flags;  // beginnings allowed beside queue/build_flags.h
  int max_dependencies = 64;
  int max_trials = 100'000;
  double queue_seconds = 24 * 3600;
  double run_seconds = 600;
  double no_progress_seconds = 120;
  double call_seconds = 10;
  double max_run_seconds = 6 * 3600;
};

// INVALID_ARGUMENT BAD_REQUEST with every wrong field.
absl::Status CheckSpec(const v1::JobSpec& spec, const SpecLimits& limits);

// Fills what the client left out. The spec has passed CheckSpec.
v1::JobSpec WithDefaults(v1::JobSpec spec, const SpecLimits& limits);

// [A-Za-z0-9._-]{1,128} segments, at most 8, none of them "." or "..",
// none that begins with "-".
bool IsSafePath(const std::string& path);

// Seconds of a Duration.
double Seconds(const google::protobuf::Duration& duration);

}  // namespace kernelopt::server
