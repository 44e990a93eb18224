// ref: scale
// Clears the output before it writes.
#include <cstddef>
#include <cstring>
extern "C" void solve(const float* x, float* y, int M, int N) {
  std::memset(y, 0, sizeof(float) * static_cast<std::size_t>(M * N));
  for (int i = 0; i < M * N; ++i) y[i] = 2 * x[i] + 1;
}
