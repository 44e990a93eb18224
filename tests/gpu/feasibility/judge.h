// The trusted side of the feasibility program: one sandboxed runner, called.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sandbox/sandbox.h"
#include "shared.h"
#include "support/files.h"

namespace kernelopt::feasibility {

struct Times {
  std::vector<double> inner, outer, work;  // us; work: the judge's own, per call
};

// How the judge and the runner share the time before a call.
enum class Before {
  kWork,            // runner free; judge fills and flushes, then go
  kNothing,         // no work of the judge: the launch is exposed
  kFrozenWork,      // runner stopped while the judge works; continued, ready, go
  kFrozenFill,      // runner stopped during the fill, running during the flush
};

class Judge {
 public:
  Judge(int64_t input_bytes, int64_t output_bytes);
  ~Judge();

  // `under`: a command line that starts it, such as a profiler's.
  void StartRunner(const std::vector<std::string>& under = {});
  void KillRunner();

  Control& control() { return *control_; }
  // `n` calls after `before`.
  Times Call(int n, Before before);
  // One call that may not end within `timeout_us`: its outer time, or -1.
  double CallOnce(Before before, double timeout_us = 5e6, Times* into = nullptr);
  // `n` calls that are queued behind a gate; then the runner is stopped, unless
  // `awake`, the judge works, and opens it.
  enum class While { kStopped, kAwake };
  Times CallGated(int n, While meanwhile);
  // Fills the first `count` floats, then flushes the L2; returns wall us.
  double Work();
  double FillOnly();
  double Flush();
  // Wall us of a kernel that holds all SMs for `us`.
  double Sentinel(double us);

  Shared inputs, outputs;
  // Between the judge's work and go; set by sections.
  std::function<void()> before_go;
  std::string runner_log;

 private:
  bool WaitFor(const std::atomic<uint32_t>& cell, uint32_t value, double timeout_us) const;

  Control* control_ = nullptr;
  kernelopt::support::UniqueFd control_fd_, socket_;
  std::unique_ptr<kernelopt::worker::Sandbox> sandbox_;
  float *flush_a_ = nullptr, *flush_b_ = nullptr, *sink_ = nullptr;
  uint32_t call_ = 0;
  uint64_t nonce_ = 1;
};

// Percentile of `values` in [0, 1].
double Quantile(std::vector<double> values, double q);
// "p50 (p5-p95)"
std::string Spread(const std::vector<double>& values);

}  // namespace kernelopt::feasibility
