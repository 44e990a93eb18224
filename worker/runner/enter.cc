// How a process that was forked from the zygote moves into a sandbox; for
// kopt_zygote.py, by ctypes. The sandbox was made by bwrap, which keeps the place
// with another program (kopt-runner anchor): its mounts, network and process ids
// are joined, then everything is given up that bwrap and setpriv give up for a
// program that they start. Each answers 0 or an errno.
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

// Those that the sandbox's first process was started with, as its /proc has them: a
// line each in the order of their numbers, a name of 25 characters, soft, hard. (Not
// prlimit(), which needs CAP_SYS_RESOURCE; containers have root without it.)
bool TakeLimits() {
  std::ifstream limits("/proc/1/limits");
  std::string line;
  std::getline(limits, line);
  int resource = 0;
  for (; std::getline(limits, line) && line.size() > 26; ++resource) {
    std::istringstream words(line.substr(26));
    std::string soft, hard;
    words >> soft >> hard;
    const auto of = [](const std::string& text) { return text == "unlimited" ? RLIM_INFINITY : std::strtoull(text.c_str(), nullptr, 10); };
    const rlimit limit{of(soft), of(hard)};
    if (setrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) return false;
  }
  errno = EPROTO;
  return resource == RLIM_NLIMITS;
}

bool Pin(int cpu) {
  cpu_set_t cpus;
  std::memset(&cpus, cpu < 0 ? 0xff : 0, sizeof cpus);
  if (cpu >= 0) CPU_SET(static_cast<size_t>(cpu), &cpus);
  return sched_setaffinity(0, sizeof cpus, &cpus) == 0;
}

bool DropCapabilities() {
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability) {
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) return false;
  }
  return true;
}

bool HasNoCapability() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[2] = {};
  if (syscall(SYS_capset, &header, sets) != 0 || syscall(SYS_capget, &header, sets) != 0) return false;
  return sets[0].permitted == 0 && sets[1].permitted == 0 && sets[0].effective == 0 && sets[1].effective == 0;
}

// What bwrap reads from --seccomp: an array of instructions.
bool Filter(int fd) {
  std::vector<sock_filter> program(65536);
  const ssize_t n = pread(fd, program.data(), program.size() * sizeof(sock_filter), 0);
  if (n <= 0) return false;
  const sock_fprog filter{static_cast<unsigned short>(static_cast<size_t>(n) / sizeof(sock_filter)), program.data()};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}

}  // namespace

extern "C" {

// Into the namespaces of the process `init` (a pidfd); the next fork makes a process
// in its pid namespace. `user`: they belong to a user namespace, whose root this is
// then. One thread only.
int kopt_enter(int init, int user) {
  const int flags = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;
  if (setns(init, flags | (user != 0 ? CLONE_NEWUSER : 0)) != 0) return errno;
  if (user == 0) setns(init, CLONE_NEWCGROUP);  // where bwrap made one
  return 0;
}

// What `ps` shows, 15 characters at most.
void kopt_name(const char* name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

// What cannot be undone. `uid` -1: as it is; `cpu` -1: any.
int kopt_settle_in(int64_t uid, int cpu, int seccomp) {
  setsid();
  if (!TakeLimits() || !Pin(cpu) || chdir("/tmp") != 0 || !DropCapabilities()) return errno;
  if (uid >= 0) {
    const auto id = static_cast<uid_t>(uid);
    if (setgroups(0, nullptr) != 0 || setresgid(id, id, id) != 0 || setresuid(id, id, id) != 0) return errno;
  }
  if (!HasNoCapability()) return errno != 0 ? errno : EPERM;
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);  // an exec would have done it: /proc/self is its own again
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !Filter(seccomp)) return errno != 0 ? errno : EPERM;
  return 0;
}

}  // extern "C"
