#include "sandbox/seccomp.h"

#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace kernelopt::worker {
namespace {

// System calls nobody in a sandbox needs. Absent on this kernel or libseccomp:
// skipped (they then cannot be called either).
constexpr const char* kForbidden[] = {
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd",
    "bpf", "perf_event_open", "userfaultfd", "keyctl", "add_key", "request_key",
    "mount", "umount2", "move_mount", "open_tree", "fsopen", "fsconfig", "fsmount", "mount_setattr",
    "pivot_root", "chroot", "setns", "unshare", "kexec_load", "kexec_file_load", "init_module",
    "finit_module", "delete_module", "reboot", "swapon", "swapoff", "acct", "quotactl",
    "io_uring_setup", "io_uring_enter", "io_uring_register", "name_to_handle_at",
    "open_by_handle_at", "lookup_dcookie", "mknod", "mknodat", "socket", "socketpair", "kcmp", "seccomp",
    // Which CPU and how much of it is the judge's decision.
    "sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr", "setpriority",
    "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "sethostname", "setdomainname",
    // Memory that RLIMIT_AS does not count.
    "memfd_create", "memfd_secret", "shmget", "semget", "msgget",
    "iopl", "ioperm", "personality", "syslog", "vhangup", "nfsservctl",
};

using Context = scmp_filter_ctx;

int Forbid(Context context, uint32_t action, const char* name) {
  const int number = seccomp_syscall_resolve_name(name);
  if (number == __NR_SCMP_ERROR) return 0;
  return seccomp_rule_add(context, action, number, 0);
}

// Processes: clone is allowed for threads only. clone3 hides its flags from the
// filter; ENOSYS makes the C library fall back to clone.
int ForbidProcesses(Context context, uint32_t action) {
  int error = 0;
  error |= seccomp_rule_add(context, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
  error |= Forbid(context, action, "fork");
  error |= Forbid(context, action, "vfork");
  error |= seccomp_rule_add(context, action, SCMP_SYS(clone), 1,
                            SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
  return error;
}

// Nor a sibling: one whose parent is outside would not be counted.
int ForbidNewNamespaces(Context context) {
  int error = seccomp_rule_add(context, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
  for (const int kind : {CLONE_PARENT, CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC,
                         CLONE_NEWUTS, CLONE_NEWCGROUP}) {
    const auto flag = static_cast<unsigned long>(kind);
    error |= seccomp_rule_add(context, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                              SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag));
  }
  return error;
}

int Fill(Context context, SeccompProfile profile, const std::vector<std::string>& allowed) {
  int error = 0;
  for (const char* name : kForbidden) {
    if (std::find(allowed.begin(), allowed.end(), name) != allowed.end()) continue;
    error |= Forbid(context, SCMP_ACT_ERRNO(EPERM), name);
  }
  error |= seccomp_rule_add(context, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(prctl), 1,
                            SCMP_A0(SCMP_CMP_EQ, PR_SET_SECCOMP));
  switch (profile) {
    case SeccompProfile::kCompiler:
      return error | ForbidNewNamespaces(context);
    case SeccompProfile::kReference:
      return error | ForbidProcesses(context, SCMP_ACT_ERRNO(EPERM));
    case SeccompProfile::kRunner:
      return error | ForbidProcesses(context, SCMP_ACT_TRAP);
  }
  return error;
}

}  // namespace

absl::StatusOr<support::UniqueFd> SeccompProgram(SeccompProfile profile,
                                                 const std::vector<std::string>& allowed) {
  const Context context = seccomp_init(SCMP_ACT_ALLOW);
  if (context == nullptr) return absl::InternalError("libseccomp gave no filter");
  support::UniqueFd fd(memfd_create("seccomp", MFD_CLOEXEC));
  int error = Fill(context, profile, allowed);
  if (error == 0) error = seccomp_export_bpf(context, fd.get());
  seccomp_release(context);
  if (error != 0 || lseek(fd.get(), 0, SEEK_SET) != 0) {
    return absl::InternalError("libseccomp could not make the filter");
  }
  return fd;
}

}  // namespace kernelopt::worker
