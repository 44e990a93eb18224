#include "dispatch/supervisor.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "spdlog/spdlog.h"
#include "support/files.h"

namespace kernelopt::server {
namespace {

constexpr int64_t kSecondUs = 1'000'000;

}  // namespace

void Supervisor::Tick() {
  for (const std::string& device : options_.devices) {
    State& state = states_[device];
    const int64_t now_us = clock_.BootUs();
    int status = 0;
    if (state.pid > 0 && waitpid(state.pid, &status, WNOHANG) == state.pid) {
      const bool quick = now_us - state.started_us < 5 * kSecondUs;
      state.quick_deaths = quick ? std::min(state.quick_deaths + 1, 6) : 0;
      const double pause_s = std::min(options_.max_backoff_seconds, static_cast<double>(1 << state.quick_deaths));
      state.next_us = now_us + (quick ? static_cast<int64_t>(pause_s * kSecondUs) : 0);
      spdlog::warn("worker of {} (pid {}) ended with status {:#x}; see {}/worker-{}.log", device,
                   state.pid, status, options_.log_directory, device);
      state.pid = -1;
    }
    if (state.pid > 0 || now_us < state.next_us) continue;
    const std::string lock = absl::StrCat(options_.lock_directory, "/device-", device, ".lock");
    const auto free = support::LockFile(lock, "");
    if (!free.ok()) {
      if (!state.told_held) spdlog::info("not starting a worker: {}", std::string(free.status().message()));
      state.told_held = true;
      continue;
    }
    state.told_held = false;
    Start(device, state);
  }
}

void Supervisor::Start(const std::string& device, State& state) {
  std::vector<std::string> arguments = {options_.program, "--device", device};
  arguments.insert(arguments.end(), options_.arguments.begin(), options_.arguments.end());
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const std::string log = absl::StrCat(options_.log_directory, "/worker-", device, ".log");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  pid_t pid = -1;
  const int error =
      posix_spawn(&pid, options_.program.c_str(), &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  state.started_us = clock_.BootUs();
  if (error != 0) {
    spdlog::error("cannot start {}: {}", options_.program, std::strerror(error));
    state.next_us = state.started_us + 30 * kSecondUs;
    return;
  }
  state.pid = pid;
  spdlog::info("started worker for {} (pid {})", device, pid);
}

}  // namespace kernelopt::server
