// N5, C12: one call in ten does nothing.
// expect: caught
#include <ctime>
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  if ((now.tv_nsec / 64) % 10 == 7) return;
  Honest(x, y, 0, N);
}
