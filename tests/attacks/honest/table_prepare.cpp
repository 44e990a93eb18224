// ref: table
// What never changes is computed once, where that is allowed.
#include <cmath>
#include <vector>
static std::vector<float> table;
extern "C" void solve_prepare(const float* w, int N) {
  table.resize(static_cast<unsigned>(N));
  for (int k = 0; k < N; ++k) table[static_cast<unsigned>(k)] = std::exp(w[k]);
}
extern "C" void solve(const float* w, const float* x, float* y, int M, int N) {
  for (int i = 0; i < M * N; ++i) y[i] = x[i] * table[static_cast<unsigned>(i % N)];
}
