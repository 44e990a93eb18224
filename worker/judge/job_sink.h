// Where a job's news goes, and where it hears that it should stop.
#pragma once

#include <string>
#include <string_view>

#include "kernelopt/v1/job.pb.h"

namespace kernelopt::worker {

class JobSink {
 public:
  virtual ~JobSink() = default;
  virtual void Progress(v1::Stage stage, int done, int total, const std::string& message) = 0;
  // Any thread.
  virtual void Log(std::string_view text) = 0;
  // The lease is no longer wanted: cancelled, timed out or lost.
  virtual bool Stopped() const = 0;
};

}  // namespace kernelopt::worker
