// ref: rows
// std::valarray.
#include <cstddef>
#include <valarray>
extern "C" void solve(const float* x, float* y, int M, int N) {
  const std::valarray<float> all(x, static_cast<std::size_t>(M) * static_cast<std::size_t>(N));
  for (int i = 0; i < M; ++i) {
    const std::valarray<float> part = all[std::slice(static_cast<std::size_t>(i * N), static_cast<std::size_t>(N), 1)];
    y[i] = part.sum();
  }
}
