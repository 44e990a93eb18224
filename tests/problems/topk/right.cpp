#include <algorithm>
#include <functional>
#include <vector>
extern "C" void solve(const float* x, float* y, int M, int N, int K) {
  std::vector<float> row(N);
  for (int i = 0; i < M; ++i) {
    std::copy(x + i * N, x + (i + 1) * N, row.begin());
    std::nth_element(row.begin(), row.begin() + K - 1, row.end(), std::greater<float>());
    std::copy(row.begin(), row.begin() + K, y + i * K);
  }
}
