// ref: rows
// Allocates in every call.
#include <cstddef>
#include <cstdlib>
#include <cstring>
extern "C" void solve(const float* x, float* y, int M, int N) {
  auto* sums = static_cast<float*>(std::calloc(static_cast<std::size_t>(M), sizeof(float)));
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < N; ++j) sums[i] += x[i * N + j];
  }
  std::memcpy(y, sums, sizeof(float) * static_cast<std::size_t>(M));
  std::free(sums);
}
