// How long a busy loop has waited for somebody else: what passed while the loop
// itself got no CPU (a virtual machine that stood still) does not count.
#pragma once

#include "support/clock.h"

namespace kernelopt::support {

class Patience {
 public:
  // Since `begin`, a MonotonicSeconds.
  explicit Patience(double seconds, double begin = MonotonicSeconds()) : seconds_(seconds), begin_(begin), last_(MonotonicSeconds()) {}

  // To be asked in every turn of the loop, which does not sleep.
  bool IsOver(double now = MonotonicSeconds()) {
    if (now - last_ > kAway) begin_ += now - last_;
    last_ = now;
    return now - begin_ > seconds_;
  }

 private:
  static constexpr double kAway = 0.05;  // seconds between two turns

  double seconds_, begin_, last_;
};

}  // namespace kernelopt::support
