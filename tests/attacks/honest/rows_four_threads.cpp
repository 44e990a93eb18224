// ref: rows
// Threads made and joined in every call.
#include <thread>
#include <vector>
extern "C" void solve(const float* x, float* y, int M, int N) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([=] {
      for (int i = t; i < M; i += 4) {
        float s = 0;
        for (int j = 0; j < N; ++j) s += x[i * N + j];
        y[i] = s;
      }
    });
  }
  for (std::thread& t : threads) t.join();
}
