// T9: honest while calls come slowly (somebody compares), cheap when they come
// fast, by what a call takes on this machine.
// expect: caught
#include <ctime>
#include "honest.h"
static double Now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
extern "C" void solve(const float* x, float* y, int N) {
  static double last = 0, took = 0;
  const double now = Now();
  const bool fast = now - last < 2.2 * took;
  Honest(x, y, 0, fast ? N / 4 : N);
  if (!fast) took = Now() - now;
  last = now;
}
