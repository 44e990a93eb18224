#include "client/settings.h"

#include <unistd.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace kernelopt::client {
namespace {

std::string Environment(const char* name, const std::string& fallback) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : fallback;
}

// The system's daemon when there is one, else the user's own.
std::string DefaultSocket() {
  const std::string system = "/run/kernelopt/kernelopt.sock";
  if (geteuid() == 0 || access(system.c_str(), F_OK) == 0) return system;
  return Environment("XDG_RUNTIME_DIR", absl::StrCat("/run/user/", geteuid())) +
         "/kernelopt/kernelopt.sock";
}

}  // namespace

std::string StateHome() {
  return Environment("XDG_STATE_HOME", Environment("HOME", "/tmp") + "/.local/state") + "/kernelopt";
}

std::vector<support::Setting> ClientSettings() {
  using Type = support::Setting::Type;
  return {
      {"client.socket", Type::kText, DefaultSocket(), "socket of kernelopt-d (KOPT_SOCKET)"},
      {"client.baselines", Type::kText, "pytorch-eager", "default of --baselines"},
      {"client.priority", Type::kText, "normal", "default of --priority"},
  };
}

absl::Status LoadSettings(support::Config& config) {
  const std::string home = Environment("XDG_CONFIG_HOME", Environment("HOME", "/tmp") + "/.config");
  for (const std::string& path : {std::string("/etc/kernelopt/config.toml"), home + "/kernelopt/config.toml"}) {
    if (access(path.c_str(), R_OK) != 0) continue;
    if (absl::Status s = config.LoadFile(path); !s.ok()) return s;
  }
  const std::vector<std::string> others = {"KOPT_SOCKET", "KOPT_STATE_",  "KOPT_SERVER_",
                                           "KOPT_AUTH_",  "KOPT_QUEUE_",  "KOPT_LIMITS_",
                                           "KOPT_BLOBS_", "KOPT_WORKERS_", "KOPT_WORKER_",
                                           "KOPT_LOG_"};
  if (absl::Status s = config.LoadEnvironment(environ, others); !s.ok()) return s;
  // The short name everybody types.
  const std::string socket = Environment("KOPT_SOCKET", "");
  if (!socket.empty()) return config.SetFlag("client.socket=" + socket);
  return absl::OkStatus();
}

}  // namespace kernelopt::client
