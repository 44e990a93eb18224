// ref: scale
// Copies, then works in place.
#include <cstddef>
#include <cstring>
extern "C" void solve(const float* x, float* y, int M, int N) {
  std::memcpy(y, x, sizeof(float) * static_cast<std::size_t>(M * N));
  for (int i = 0; i < M * N; ++i) y[i] = y[i] * 2 + 1;
}
