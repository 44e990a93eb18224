// Calls abort().
#include <cstdlib>
extern "C" void solve(const float* x, float* y, int N) {
  std::abort();
  for (int i = 0; i < N; ++i) y[i] = x[i] + x[i];
}
