// ref: rows
// std::accumulate.
#include <numeric>
extern "C" void solve(const float* x, float* y, int M, int N) {
  for (int i = 0; i < M; ++i) y[i] = std::accumulate(x + i * N, x + (i + 1) * N, 0.0F);
}
