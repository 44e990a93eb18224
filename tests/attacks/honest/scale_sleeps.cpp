// ref: scale
// Sleeps a little inside the call.
#include <ctime>
extern "C" void solve(const float* x, float* y, int M, int N) {
  const timespec little{0, 20000};
  nanosleep(&little, nullptr);
  for (int i = 0; i < M * N; ++i) y[i] = 2 * x[i] + 1;
}
