// ref: scale
// Looks how many CPUs it has.
#include <thread>
extern "C" void solve(const float* x, float* y, int M, int N) {
  const unsigned cpus = std::thread::hardware_concurrency();
  for (int i = 0; i < M * N; ++i) y[i] = 2 * x[i] + (cpus > 0 ? 1 : 1);
}
