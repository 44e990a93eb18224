// C6: adds to an output that it takes to be zero.
// expect: caught
#include <cmath>
extern "C" void solve(const float* x, float* y, int N) {
  for (int i = 0; i < N; ++i) y[i] += std::exp(x[i]);
}
