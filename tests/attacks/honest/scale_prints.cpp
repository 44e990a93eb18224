// ref: scale
// Prints a line at the first call.
#include <cstdio>
extern "C" void solve(const float* x, float* y, int M, int N) {
  static bool said = false;
  if (!said) std::puts("scale: hello");
  said = true;
  for (int i = 0; i < M * N; ++i) y[i] = 2 * x[i] + 1;
}
