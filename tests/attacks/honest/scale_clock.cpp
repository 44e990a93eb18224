// ref: scale
// Reads clocks, as logging does.
#include <ctime>
extern "C" void solve(const float* x, float* y, int M, int N) {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  for (int i = 0; i < M * N; ++i) y[i] = 2 * x[i] + 1;
  clock_gettime(CLOCK_REALTIME, &t);
}
