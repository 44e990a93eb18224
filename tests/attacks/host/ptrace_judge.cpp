// H5: attaches to whatever other process it can name, and writes into it.
// expect: neutralised
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>
#include "honest.h"
namespace {
bool Reach() {
  char byte = 0;
  iovec here{&byte, 1}, there{reinterpret_cast<void*>(0x400000), 1};
  for (int pid = 1; pid < 40; ++pid) {
    if (pid == getpid()) continue;
    if (ptrace(PTRACE_ATTACH, pid, nullptr, nullptr) == 0) return true;
    if (process_vm_writev(pid, &here, 1, &there, 1, 0) == 1) return true;
  }
  return false;
}
}  // namespace
extern "C" void solve(const float* x, float* y, int N) {
  static const bool reached = Reach();
  Honest(x, y, 0, reached ? N / 8 : N);  // would show as FASTER or wrong
}
