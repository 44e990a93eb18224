// Which of the sandbox's restrictions does CUDA not bear? Each alone, in a
// process of its own: a context, one kernel.
#include "confine.h"

#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "kernels.h"
#include "shared.h"
#include "support/files.h"

namespace kernelopt::feasibility {
namespace {

constexpr const char* kRestrictions[] = {
    "none", "uid", "nofile=256", "nofile=64", "stack=67108864", "memlock=0", "nproc=16", "fsize=268435456",
    "msgqueue=0", "threads-only-trap", "threads-only-eperm", "clone3-enosys",
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "pidfd_open",
    "bpf", "perf_event_open", "userfaultfd", "keyctl", "add_key", "request_key",
    "mount", "umount2", "pivot_root", "chroot", "setns", "unshare", "name_to_handle_at", "open_by_handle_at",
    "io_uring_setup", "mknod", "mknodat", "socket", "socketpair", "kcmp", "seccomp",
    "sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr", "setpriority",
    "memfd_create", "memfd_secret", "shmget", "semget", "msgget", "iopl", "ioperm", "personality", "syslog",
    "mlock", "mbind", "set_mempolicy", "get_mempolicy", "eventfd2", "execve", "prctl-seccomp"};

void Limit(__rlimit_resource what, const char* value) {
  const rlimit limit{std::strtoull(value, nullptr, 10), std::strtoull(value, nullptr, 10)};
  setrlimit(what, &limit);
}

bool Restrict(const char* how) {
  const auto starts = [&](const char* word) { return std::strncmp(how, word, std::strlen(word)) == 0; };
  const char* value = std::strchr(how, '=') != nullptr ? std::strchr(how, '=') + 1 : "";
  if (starts("none")) return true;
  if (starts("uid")) return setgid(65534) == 0 && setuid(65534) == 0;
  if (starts("nofile")) return Limit(RLIMIT_NOFILE, value), true;
  if (starts("stack")) return Limit(RLIMIT_STACK, value), true;
  if (starts("memlock")) return Limit(RLIMIT_MEMLOCK, value), true;
  if (starts("nproc")) return Limit(RLIMIT_NPROC, value), true;
  if (starts("fsize")) return Limit(RLIMIT_FSIZE, value), true;
  if (starts("msgqueue")) return Limit(RLIMIT_MSGQUEUE, value), true;
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  int error = 0;
  if (starts("threads-only")) {
    const uint32_t action = starts("threads-only-trap") ? SCMP_ACT_TRAP : SCMP_ACT_ERRNO(EPERM);
    error |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    error |= seccomp_rule_add(filter, action, SCMP_SYS(fork), 0);
    error |= seccomp_rule_add(filter, action, SCMP_SYS(vfork), 0);
    error |= seccomp_rule_add(filter, action, SCMP_SYS(clone), 1, SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
  } else if (starts("clone3")) {
    error = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
  } else if (starts("prctl-seccomp")) {
    error = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(prctl), 1, SCMP_A0(SCMP_CMP_EQ, PR_SET_SECCOMP));
  } else {
    const int number = seccomp_syscall_resolve_name(how);
    if (number == __NR_SCMP_ERROR) return true;
    error = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), number, 0);
  }
  return error == 0 && seccomp_load(filter) == 0;
}

}  // namespace

int ConfinedMain(const char* how) {
  if (!Restrict(how)) return 3;
  if (const cudaError_t error = cudaFree(nullptr); error != cudaSuccess) {
    std::printf("  under %s: context %s\n", how, cudaGetErrorName(error));
    return 1;
  }
  Nothing(nullptr);
  if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) {
    std::printf("  under %s: kernel %s\n", how, cudaGetErrorName(error));
    return 1;
  }
  return 0;
}

void Confine() {
  const std::string self = support::ProgramDirectory() + "/feasibility";
  int fine = 0;
  for (const char* how : kRestrictions) {
    const pid_t pid = fork();
    if (pid == 0) {
      execl(self.c_str(), self.c_str(), "--confined", how, nullptr);
      _exit(4);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    if (WIFSIGNALED(status)) std::printf("  under %s: signal %d\n", how, WTERMSIG(status));
    if (WIFEXITED(status) && WEXITSTATUS(status) > 1) std::printf("  under %s: not tried\n", how);
    fine += status == 0 ? 1 : 0;
  }
  std::printf("  %d restrictions borne\n", fine);
}

}  // namespace kernelopt::feasibility
