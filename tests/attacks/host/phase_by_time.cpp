// T9: honest while calls come slowly (somebody compares), cheap when they come
// fast.
// expect: caught
#include <ctime>
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  static double last = 0;
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  const double now = static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  Honest(x, y, 0, now - last < 0.02 ? N / 4 : N);
  last = now;
}
