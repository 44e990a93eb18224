// Says in words what a job waits for: pure.
#pragma once

#include <optional>
#include <string>

#include "kernelopt/v1/device_service.pb.h"
#include "kernelopt/v1/job_service.pb.h"

namespace kernelopt::server {

struct WaitFacts {
  v1::Job job;
  std::optional<v1::Device> device;        // none: no worker ever attached for it
  std::optional<std::string> pause_reason; // the queue is paused
  std::string unmet_job;                   // jobs/{id} it waits for, or empty
  bool unmet_ok = false;                   // ... and which has to be CORRECT
  std::string barred;                      // the quota its owner has reached, or empty
  int64_t quota = 0;                       // its value; 0: not for the caller
  std::optional<int64_t> position;         // 1: next; none: not in line
  std::string in_front;                    // jobs/{id} right before it in line, or empty
  int64_t pace_us = 0;                     // usual length of a job here; 0: not known
  int64_t now_us = 0;
};

v1::ExplainJobResponse Explain(const WaitFacts& facts);

}  // namespace kernelopt::server
