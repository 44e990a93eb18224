// Says in words what a job waits for: pure.
#pragma once

#include <optional>
#include <string>

#include "kernelopt/v1/job_service.pb.h"

namespace kernelopt::server {

struct WaitFacts {
  v1::Job job;
  bool device_known = false, device_online = false, device_drained = false;
  std::string drain_reason;
  std::optional<std::string> pause_reason;
  int64_t jobs_ahead = 0;
  std::string next_in_front;  // jobs/{id} or empty
  std::string running_job;    // jobs/{id} on the device now, or empty
};

v1::ExplainJobResponse Explain(const WaitFacts& facts);

}  // namespace kernelopt::server
