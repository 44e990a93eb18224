// ref: scale
// A table built at the first call.
#include <cstddef>
#include <vector>
extern "C" void solve(const float* x, float* y, int M, int N) {
  static const std::vector<float> twos(static_cast<std::size_t>(N), 2.0F);
  for (int i = 0; i < M * N; ++i) y[i] = twos[static_cast<std::size_t>(i % N)] * x[i] + 1;
}
