// Starts a worker for each device nobody serves, on machines without systemd.
//
// A worker is a session of its own (setsid) and outlives the daemon; that a
// device already has one, perhaps of another daemon, shows in its lock file.
// Not thread-safe: call Tick from one thread.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "support/clock.h"

namespace kernelopt::server {

struct SupervisorOptions {
  std::vector<std::string> devices;
  std::string program;         // path of kernelopt-worker
  std::string lock_directory;  // <lock_directory>/device-<id>.lock
  std::string log_directory;   // worker-<id>.log goes there
  std::vector<std::string> arguments;
  double max_backoff_seconds = 30;
};

class Supervisor {
 public:
  Supervisor(SupervisorOptions options, const support::Clock& clock)
      : options_(std::move(options)), clock_(clock) {}

  // Starts what is missing, reaps what ended; backs off when a worker keeps
  // dying (2 s and more, up to max_backoff_seconds).
  void Tick();

 private:
  struct State {
    pid_t pid = -1;
    int64_t started_us = 0, next_us = 0;
    int quick_deaths = 0;
    bool told_held = false;
  };
  void Start(const std::string& device, State& state);

  const SupervisorOptions options_;
  const support::Clock& clock_;
  std::map<std::string, State> states_;
};

}  // namespace kernelopt::server
