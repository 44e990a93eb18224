// When a device is kept from further jobs: pure.
//
// A fault is a lease that ended without a result through no doing of its owner:
// the worker died, fell silent or could not work. Faults in a row are held
// against the device, unless all were of one job: that one uses up its own
// attempts. As long as they are of one user, the device rests for that user alone:
// nobody can take it away from others with jobs that break workers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kernelopt::server {

struct QuarantineTerms {
  int faults = 3;  // in a row; 0: never
  int64_t us = int64_t{600} * 1'000'000;
};

// A lease that was lost.
struct Fault {
  std::string job;  // public id
  uint32_t uid = 0;  // its owner
  std::string message;
};

// What is known of a device since its last result.
struct DeviceFaults {
  int faults = 0, jobs = 0, users = 0;
  Fault last;
};

// Whether a lease that ended so (Change::attempt_end) is a fault.
bool IsFault(const std::string& attempt_end);

DeviceFaults WithOneMore(DeviceFaults known, const Fault& fault);

// Jobs are not to start on it, but for one after a while.
bool NeedsQuarantine(const DeviceFaults& faults, const QuarantineTerms& terms);
// Whose; none: everybody's.
std::optional<uint32_t> QuarantinedUser(const DeviceFaults& faults);

// For people: what happened, and what to do.
std::string QuarantineText(const DeviceFaults& faults, const std::string& device);

}  // namespace kernelopt::server
