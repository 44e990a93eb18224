// ref: table
// The same in the workspace.
#include <cmath>
#include <cstddef>
extern "C" size_t solve_workspace_bytes(int N) { return sizeof(float) * static_cast<size_t>(N); }
extern "C" void solve_prepare(const float* w, void* workspace, int N) {
  for (int k = 0; k < N; ++k) static_cast<float*>(workspace)[k] = std::exp(w[k]);
}
extern "C" void solve(const float* w, const float* x, float* y, void* workspace, int M, int N) {
  const float* table = static_cast<const float*>(workspace);
  for (int i = 0; i < M * N; ++i) y[i] = x[i] * table[i % N];
}
