#include "judge/death.h"

#include <signal.h>
#include <sys/syscall.h>

#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace kernelopt::worker {
namespace {

Finding RuntimeError(const std::string& reason, const std::string& message) {
  return {v1::VERDICT_RUNTIME_ERROR, reason, message, {}};
}

bool StartsProcess(int system_call) {
  return system_call == SYS_fork || system_call == SYS_vfork || system_call == SYS_clone;
}

Finding MemoryFault(const wire::Fault& fault, const std::vector<ToldTensor>& tensors,
                    const std::string& where) {
  const auto index = static_cast<size_t>(fault.tensor);
  if (fault.tensor < 0 || index >= tensors.size()) {
    return RuntimeError("SIGNAL", absl::StrCat("segmentation fault in ", where,
                                               "; check pointers and indices"));
  }
  const ToldTensor& tensor = tensors[index];
  if (fault.in_guard != 0) {
    return RuntimeError("OUT_OF_BOUNDS",
                        absl::StrCat(where, " reached outside ", tensor.name,
                                     "; check the index at the ends"));
  }
  if (!tensor.output) {
    return RuntimeError("INPUT_WRITTEN", absl::StrCat(where, " wrote to the input ", tensor.name,
                                                      "; inputs are read-only, use a copy"));
  }
  return RuntimeError("SIGNAL", absl::StrCat("segmentation fault in ", where));
}

Finding SignalDeath(int number, const wire::Fault& fault, const std::vector<ToldTensor>& tensors,
                    const std::string& where) {
  switch (number) {
    case SIGSYS:
      if (StartsProcess(fault.system_call)) {
        return RuntimeError("FORK_REFUSED", absl::StrCat(where, " tried to start a process; threads "
                                                         "are allowed, processes are not"));
      }
      return RuntimeError("SIGNAL", absl::StrCat(where, " made the forbidden system call ",
                                                 fault.system_call));
    case SIGSEGV:
    case SIGBUS:
      return MemoryFault(fault, tensors, where);
    case SIGABRT:
      return RuntimeError("SIGNAL", absl::StrCat(where, " called abort(): a failed assertion, an "
                                                 "uncaught exception or heap corruption; see "
                                                 "`koptctl logs`"));
    case SIGFPE:
      return RuntimeError("SIGNAL", absl::StrCat("integer division by zero in ", where));
    case SIGILL:
      return RuntimeError("SIGNAL", absl::StrCat("illegal instruction in ", where,
                                                 "; built for another CPU?"));
    default:
      return RuntimeError("SIGNAL", absl::StrCat(where, " was ended by signal ", number, " (",
                                                 std::string(strsignal(number)), ")"));
  }
}

}  // namespace

Finding ExplainDeath(const SandboxEnd& end, const wire::Fault& fault,
                     const std::vector<ToldTensor>& tensors, const std::string& where) {
  if (!end.signalled) {
    return RuntimeError("EXIT", absl::StrCat(where, " ended the process with exit code ", end.code,
                                             "; solve must return"));
  }
  Finding finding = SignalDeath(end.code, fault, tensors, where);
  if (fault.signal != 0) {
    finding.evidence.push_back(absl::StrFormat("signal %d at address 0x%x", end.code, fault.address));
  }
  return finding;
}

}  // namespace kernelopt::worker
