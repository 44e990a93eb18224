// ref: rows
// Atomic additions.
#include <atomic>
extern "C" void solve(const float* x, float* y, int M, int N) {
  for (int i = 0; i < M; ++i) {
    std::atomic<float> s{0};
    for (int j = 0; j < N; ++j) s.fetch_add(x[i * N + j], std::memory_order_relaxed);
    y[i] = s;
  }
}
