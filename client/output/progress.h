// Shows a job while it runs: one line that renews itself on a terminal, a line
// per stage otherwise. Writes to stderr only.
#pragma once

#include <string>

#include "kernelopt/v1/job.pb.h"

namespace kernelopt::client {

class ProgressLine {
 public:
  // `quiet`: shows nothing.
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  void Show(const v1::Job& job);
  // Leaves the line, so that other output starts on a fresh one.
  void Clear();

 private:
  const bool quiet_, terminal_;
  std::string last_;
  bool dirty_ = false;
};

}  // namespace kernelopt::client
