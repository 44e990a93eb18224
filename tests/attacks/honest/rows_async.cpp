// ref: rows
// std::async.
#include <future>
extern "C" void solve(const float* x, float* y, int M, int N) {
  auto half = [=](int first, int last) {
    for (int i = first; i < last; ++i) {
      float s = 0;
      for (int j = 0; j < N; ++j) s += x[i * N + j];
      y[i] = s;
    }
  };
  auto other = std::async(std::launch::async, half, 0, M / 2);
  half(M / 2, M);
  other.get();
}
