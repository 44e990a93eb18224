// kernelopt-d: owns the devices, keeps the queue. See server/README.md.
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "server/daemon.h"
#include "server/settings.h"
#include "spdlog/sinks/stdout_sinks.h"
#include "spdlog/spdlog.h"
#include "support/files.h"

namespace {

using kernelopt::support::Config;

// One datagram, as sd_notify(3) describes it; nothing without systemd.
void NotifySystemd(const std::string& message) {
  const char* path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr || *path == '\0') return;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name(path);
  if (name.size() >= sizeof address.sun_path) return;
  name.copy(address.sun_path, name.size());
  if (name[0] == '@') address.sun_path[0] = '\0';
  const kernelopt::support::UniqueFd fd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  (void)sendto(fd.get(), message.data(), message.size(), MSG_NOSIGNAL,
               reinterpret_cast<const sockaddr*>(&address), length);
}

struct Flags {
  std::string config, state, socket;
  std::vector<std::string> set;
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

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"kernelopt-d: takes GPU kernel jobs, keeps them, runs each on one device"};
  Flags flags;
  app.add_option("--config", flags.config,
                 "TOML settings (default /etc/kernelopt/kernelopt-d.toml)");
  app.add_option("--state", flags.state, "state directory");
  app.add_option("--socket", flags.socket, "Unix socket to serve");
  app.add_option("--set", flags.set, "any setting, as key=value; may be repeated");
  app.add_flag("--show-settings", flags.show, "print every setting with its origin, and exit");
  app.set_version_flag("--version", KOPT_VERSION);
  CLI11_PARSE(app, argc, argv);

  spdlog::set_default_logger(spdlog::stderr_logger_mt("kernelopt-d"));
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc);
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
  NotifySystemd("READY=1");
  int received = 0;
  sigwait(&signals, &received);
  spdlog::info("stopping (signal {})", received);
  NotifySystemd("STOPPING=1");
  daemon->reset();
  spdlog::info("stopped");
  return 0;
}
