// ref: rows
// Maps and unmaps memory in every call.
#include <cstddef>
#include <cstring>
#include <sys/mman.h>
extern "C" void solve(const float* x, float* y, int M, int N) {
  const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(M);
  auto* sums = static_cast<float*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < N; ++j) sums[i] += x[i * N + j];
  }
  std::memcpy(y, sums, bytes);
  munmap(sums, bytes);
}
