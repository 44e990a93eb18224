#include <cstddef>

extern "C" size_t solve_workspace_bytes(int K) { return static_cast<size_t>(K) * sizeof(float); }

extern "C" void solve_prepare(const float* w, void* workspace, int K) {
  float sum = 0;
  for (int k = 0; k < K; ++k) static_cast<float*>(workspace)[k] = sum += w[k];
}

extern "C" void solve(const float* w, const float* x, float* y, void* workspace, int N, int K) {
  const float* table = static_cast<const float*>(workspace);
  for (int i = 0; i < N; ++i) y[i] = x[i] * table[i % K];
}
