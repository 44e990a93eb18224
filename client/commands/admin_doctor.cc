#include "client/commands/admin_doctor.h"

#include <arpa/inet.h>
#include <grp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timex.h>
#include <unistd.h>

#include <cstdio>
#include <functional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "client/output/print.h"
#include "support/capability.h"
#include "support/files.h"
#include "support/ids.h"

namespace kernelopt::client {
namespace {

using support::Capable;

v1::Capability Unknown(const std::string& name, const std::string& detail) {
  return Capable(name, true, absl::StrCat("?? ", detail));
}

std::string Line(const std::string& path) {
  const auto text = support::ReadFile(path);
  return text.ok() ? std::string(absl::StripSuffix(*text, "\n")) : "";
}

v1::Capability SocketFile(const std::string& socket) {
  struct stat info {};
  const std::string directory = socket.substr(0, socket.rfind('/'));
  if (stat(socket.c_str(), &info) != 0) {
    return Capable("socket.file", false,
                   absl::StrCat(socket, " is not there: start kernelopt-d, or name it with --socket"));
  }
  if (stat(directory.c_str(), &info) == 0 && (info.st_mode & S_IWOTH) != 0) {
    return Capable("socket.file", false,
                   absl::StrCat(directory, " is writable for everybody: anyone could put a socket of "
                                "their own there; chmod o-w it"));
  }
  return Capable("socket.file", true, socket);
}

v1::Capability Groups() {
  std::string missing;
  for (const char* name : {"kopt-operators", "kopt-admins"}) {
    if (getgrnam(name) == nullptr) absl::StrAppend(&missing, missing.empty() ? "" : ", ", name);
  }
  return missing.empty()
             ? Capable("auth.groups", true, "kopt-operators and kopt-admins exist")
             : Unknown("auth.groups", absl::StrCat("there is no group ", missing, " (the package makes "
                                                   "them; other names: auth.operator_groups, "
                                                   "auth.admin_groups)"));
}

v1::Capability Unit(const std::string& unit) {
  const std::string name = absl::StrCat("systemd.", unit);
  if (access("/run/systemd/system", F_OK) != 0) return Unknown(name, "systemd does not run here");
  FILE* pipe = popen(absl::StrCat("systemctl is-active ", unit, " 2>/dev/null").c_str(), "re");
  char state[64] = "";
  if (pipe != nullptr) {
    (void)!std::fgets(state, sizeof state, pipe);
    pclose(pipe);
  }
  const std::string text(absl::StripSuffix(state, "\n"));
  return Capable(name, text == "active",
                 text == "active" ? text
                                  : absl::StrCat(text, "; systemctl enable --now ", unit,
                                                 ", journalctl -u ", unit, " tells more"));
}

v1::Capability UserNamespaces() {
  const std::string most = Line("/proc/sys/user/max_user_namespaces");
  const std::string debian = Line("/proc/sys/kernel/unprivileged_userns_clone");
  const std::string ubuntu = Line("/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
  if (most == "0" || debian == "0") {
    return Capable("kernel.user_namespaces", false,
                   "off: workers that do not run as root cannot sandbox; sysctl "
                   "kernel.unprivileged_userns_clone=1, user.max_user_namespaces=15000");
  }
  if (ubuntu == "1") {
    return Capable("kernel.user_namespaces", false,
                   "restricted by AppArmor; give bwrap a profile with `userns,`, or sysctl "
                   "kernel.apparmor_restrict_unprivileged_userns=0");
  }
  return Capable("kernel.user_namespaces", true, absl::StrCat("at most ", most));
}

v1::Capability ClockSynchronised() {
  timex state{};
  const int result = adjtimex(&state);
  if (result < 0) return Unknown("clock", "cannot be asked for");
  const bool synchronised = (state.status & STA_UNSYNC) == 0;
  return synchronised ? Capable("clock", true, "synchronised")
                      : Unknown("clock", "not synchronised: times in lists may be wrong; leases and "
                                         "measurements use other clocks. Install chrony");
}

v1::Capability Governor() {
  const std::string governor = Line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (governor.empty()) return Unknown("cpu.governor", "the kernel does not tell");
  return Capable("cpu.governor", governor == "performance",
                 governor == "performance" ? governor
                                           : absl::StrCat(governor, ": host measurements are calmer with "
                                                          "`performance` (cpupower frequency-set)"));
}

v1::Capability GpuProfiling() {
  const auto text = support::ReadFile("/proc/driver/nvidia/params");
  if (!text.ok()) return Unknown("gpu.profiling", "no NVIDIA driver is loaded");
  const bool open = text->find("RmProfilingAdminOnly: 0") != std::string::npos;
  return Capable("gpu.profiling", open,
                 open ? "counters are open to everybody"
                      : "counters need CAP_SYS_ADMIN; options nvidia "
                        "NVreg_RestrictProfilingToAdminUsers=0 in /etc/modprobe.d");
}

v1::Capability MetricsPort() {
  const support::UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(9464);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool open = connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  return open ? Capable("metrics", true, "http://127.0.0.1:9464/metrics")
              : Unknown("metrics", "nobody listens on 127.0.0.1:9464; systemctl enable --now "
                                   "kernelopt-metrics");
}

// What the daemon says of itself; its silence is a finding too.
void AskDaemon(Context& context, v1::GetCapabilitiesResponse& out) {
  const auto found =
      context.client().Call(context.client().system(), &v1::SystemService::Stub::GetCapabilities,
                            v1::GetCapabilitiesRequest());
  if (!found.ok()) {
    *out.add_daemon() = Capable("daemon", false, std::string(found.status().message()));
    return;
  }
  *out.add_daemon() = Capable("daemon", true, "answers");
  for (v1::Capability capability : found->daemon()) {
    if (capability.name() == "state.backup" && absl::StrContains(capability.detail(), "none")) {
      capability.set_available(false);
    }
    *out.add_daemon() = capability;
  }
  for (const v1::Device& device : found->devices()) {
    *out.add_daemon() = Capable(device.name(), device.online() && !device.drained() && device.fault().empty(),
                                device.drained()  ? absl::StrCat("drained: ", device.drain_reason())
                                : !device.fault().empty() ? device.fault()
                                : device.online() ? device.model()
                                                  : "no worker; systemctl start kernelopt-worker@" +
                                                        support::IdOf(device.name()));
  }
}

}  // namespace

Exit AdminDoctor(Context& context) {
  v1::GetCapabilitiesResponse report;
  AskDaemon(context, report);
  for (const v1::Capability& check :
       {SocketFile(context.socket()), Unit("kernelopt-d"), Unit("kernelopt-worker@host"),
        Unit("kernelopt-metrics"), Groups(), UserNamespaces(), ClockSynchronised(), Governor(),
        GpuProfiling(), MetricsPort()}) {
    *report.add_daemon() = check;
  }
  int wrong = 0;
  for (const v1::Capability& check : report.daemon()) wrong += check.available() ? 0 : 1;
  if (context.json) {
    PrintJson("capabilities", report);
    return wrong == 0 ? Exit::kOk : Exit::kUnexpected;
  }
  for (const v1::Capability& check : report.daemon()) {
    absl::string_view detail = check.detail();
    const bool unknown = absl::ConsumePrefix(&detail, "?? ");
    const char* mark = unknown ? "??" : check.available() ? "ok" : "no";
    std::printf("  %-4s %-30s %s\n", Paint(context, mark).c_str(), check.name().c_str(),
                std::string(detail).c_str());
  }
  std::printf("%s\n", wrong == 0 ? "Nothing is wrong." : absl::StrCat(wrong, " things need you.").c_str());
  return wrong == 0 ? Exit::kOk : Exit::kUnexpected;
}

}  // namespace kernelopt::client
