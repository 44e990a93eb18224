// When a device is kept from further jobs: pure.
//
// A fault is a lease that ended without a result through no doing of its owner:
// the worker died, fell silent or could not work. Faults in a row, of more than
// one job, are the device's: one job that kills its worker each time takes no
// device away from others, it only uses up its own attempts.
#pragma once

#include <cstdint>
#include <string>

namespace kernelopt::server {

struct QuarantineTerms {
  int faults = 3;  // in a row; 0: never
  int64_t us = int64_t{600} * 1'000'000;
};

// What is known of a device since its last result.
struct DeviceFaults {
  int faults = 0, jobs = 0;
  std::string job, message;  // the last
};

// Whether a lease that ended so (Change::attempt_end) is a fault.
bool IsFault(const std::string& attempt_end);

DeviceFaults WithOneMore(DeviceFaults known, const std::string& job, const std::string& message);

// No job but one, after a while, is to start on it.
bool NeedsQuarantine(const DeviceFaults& faults, const QuarantineTerms& terms);

// For people: what happened, and what to do.
std::string QuarantineText(const DeviceFaults& faults, const std::string& device);

}  // namespace kernelopt::server
