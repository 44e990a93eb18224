// H20: runs before the runner's own checks, takes over its signal handlers and
// tries to leave the sandbox.
// expect: neutralised
#include <csignal>
#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>
#include "honest.h"
__attribute__((constructor)) static void Early() {
  for (int number = 1; number < 32; ++number) std::signal(number, SIG_IGN);
  (void)!chroot("/tmp");
  (void)mount("none", "/usr", nullptr, MS_REMOUNT, nullptr);
  (void)open("/usr/bin/escaped", O_CREAT | O_WRONLY, 0755);
}
extern "C" void solve(const float* x, float* y, int N) { Honest(x, y, 0, N); }
