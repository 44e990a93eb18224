// kernelopt-d: owns the devices, keeps the queue. See server/README.md.
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "server/daemon.h"
#include "server/settings.h"
#include "spdlog/spdlog.h"
#include "store/archive.h"
#include "support/files.h"
#include "support/log.h"
#include "support/notify.h"

namespace {

using kernelopt::support::Config;

struct Flags {
  std::string config, state, socket;
  std::vector<std::string> set;
  std::string restore;
  bool show = false;
};

absl::Status Load(const Flags& flags, Config& config) {
  const std::string system = "/etc/kernelopt/kernelopt-d.toml";
  if (!flags.config.empty()) {
    if (absl::Status s = config.LoadFile(flags.config); !s.ok()) return s;
  } else if (access(system.c_str(), R_OK) == 0) {
    if (absl::Status s = config.LoadFile(system); !s.ok()) return s;
  }
  const std::vector<std::string> others = {"KOPT_SOCKET", "KOPT_WORKER_", "KOPT_CLIENT_"};
  if (absl::Status s = config.LoadEnvironment(environ, others); !s.ok()) return s;
  if (!flags.state.empty()) {
    if (absl::Status s = config.SetFlag("state.directory=" + flags.state); !s.ok()) return s;
  }
  if (!flags.socket.empty()) {
    if (absl::Status s = config.SetFlag("server.socket=" + flags.socket); !s.ok()) return s;
  }
  for (const std::string& assignment : flags.set) {
    if (absl::Status s = config.SetFlag(assignment); !s.ok()) return s;
  }
  return absl::OkStatus();
}

void ShowSettings(const Config& config) {
  for (const auto& shown : config.Show()) {
    std::printf("%-28s = %-32s # %s (%s)\n", shown.key.c_str(), shown.value.c_str(),
                shown.meaning.c_str(), shown.origin.c_str());
  }
}

// Until a signal; meanwhile tells systemd's watchdog that commits still happen.
int WaitForSignal(const sigset_t& signals, kernelopt::server::Daemon& daemon) {
  const char* given = std::getenv("WATCHDOG_USEC");
  const long watchdog_us = given != nullptr ? std::atol(given) : 0;
  const timespec pause = {watchdog_us > 0 ? std::max(1L, watchdog_us / 3'000'000) : 3600, 0};
  for (;;) {
    const int received = sigtimedwait(&signals, nullptr, &pause);
    if (received > 0) return received;
    if (watchdog_us > 0 && daemon.Healthy()) kernelopt::support::NotifySystemd("WATCHDOG=1");
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"kernelopt-d: takes GPU kernel jobs, keeps them, runs each on one device"};
  Flags flags;
  app.add_option("--config", flags.config,
                 "TOML settings (default /etc/kernelopt/kernelopt-d.toml)");
  app.add_option("--state", flags.state, "state directory");
  app.add_option("--socket", flags.socket, "Unix socket to serve");
  app.add_option("--set", flags.set, "any setting, as key=value; may be repeated");
  app.add_option("--restore", flags.restore,
                 "put this backup in place of the database of --state, and exit");
  app.add_flag("--show-settings", flags.show, "print every setting with its origin, and exit");
  app.set_version_flag("--version", KOPT_VERSION);
  CLI11_PARSE(app, argc, argv);

  kernelopt::support::StartLog("kernelopt-d");
  Config config(kernelopt::server::ServerSettings());
  if (absl::Status s = Load(flags, config); !s.ok()) {
    std::fprintf(stderr, "kernelopt-d: %s\n", std::string(s.message()).c_str());
    return 2;
  }
  if (flags.show) {
    ShowSettings(config);
    return 0;
  }
  spdlog::set_level(spdlog::level::from_str(config.Text("log.level")));
  if (absl::Status s = kernelopt::support::SetLogFormat(config.Text("log.format")); !s.ok()) {
    std::fprintf(stderr, "kernelopt-d: %s\n", std::string(s.message()).c_str());
    return 2;
  }
  if (!flags.restore.empty()) {
    const absl::Status s = kernelopt::server::Restore(config.Text("state.directory"), flags.restore);
    if (!s.ok()) std::fprintf(stderr, "kernelopt-d: %s\n", std::string(s.message()).c_str());
    return s.ok() ? 0 : 1;
  }

  // Blocked before any thread starts, taken by sigwait below.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);

  auto daemon = kernelopt::server::Daemon::Start(config);
  if (!daemon.ok()) {
    std::fprintf(stderr, "kernelopt-d: %s\n", std::string(daemon.status().message()).c_str());
    return 1;
  }
  kernelopt::support::NotifySystemd("READY=1");
  const int received = WaitForSignal(signals, **daemon);
  spdlog::info("stopping (signal {})", received);
  kernelopt::support::NotifySystemd("STOPPING=1");
  daemon->reset();
  spdlog::info("stopped");
  return 0;
}
