// The two clocks, behind an interface so that tests can turn them.
//
// Boot time counts through suspend and never jumps: every deadline and lease
// uses it. Wall time is for people only. Thread-safe.
#pragma once

#include <ctime>

#include <cstdint>

namespace kernelopt::support {

// One moment on both clocks.
struct Instant {
  int64_t wall_us = 0;  // shown, and compared with times that people gave
  int64_t boot_us = 0;  // everything else
};

class Clock {
 public:
  virtual ~Clock() = default;
  // CLOCK_BOOTTIME, microseconds.
  virtual int64_t BootUs() const { return Read(CLOCK_BOOTTIME); }
  // Unix time, microseconds.
  virtual int64_t WallUs() const { return Read(CLOCK_REALTIME); }

  Instant Now() const { return {WallUs(), BootUs()}; }

  // The machine's own clocks; lives for ever.
  static const Clock& Real() {
    static const Clock clock;
    return clock;
  }

 private:
  static int64_t Read(clockid_t id) {
    timespec t{};
    clock_gettime(id, &t);
    return int64_t{t.tv_sec} * 1'000'000 + t.tv_nsec / 1'000;
  }
};

// CLOCK_MONOTONIC in seconds, for durations that are only reported.
inline double MonotonicSeconds() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

}  // namespace kernelopt::support
