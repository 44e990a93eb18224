#include <utility>
#include <vector>
extern "C" void solve(const double* x, double* y, int N) {
  std::vector<double> a(x, x + N * N);
  for (int i = 0; i < N * N; ++i) y[i] = i % (N + 1) == 0;
  for (int i = 0; i < N; ++i) a[i * N + i] += 10;
  for (int c = 0; c < N; ++c) {
    const double pivot = 1 / a[c * N + c];
    for (int k = 0; k < N; ++k) a[c * N + k] *= pivot, y[c * N + k] *= pivot;
    for (int r = 0; r < N; ++r) {
      const double factor = a[r * N + c];
      if (r == c) continue;
      for (int k = 0; k < N; ++k) a[r * N + k] -= factor * a[c * N + k], y[r * N + k] -= factor * y[c * N + k];
    }
  }
}
