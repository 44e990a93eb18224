// Row of C += a scalar of A times a row of B: everything is read along rows,
// and blocks of B stay in cache.
#include <algorithm>

extern "C" void solve(const float* __restrict__ A, const float* __restrict__ B,
                      float* __restrict__ C, int M, int N, int K) {
  constexpr int kBlockK = 64, kBlockN = 256;
  std::fill(C, C + static_cast<long>(M) * N, 0.0f);
  for (int k0 = 0; k0 < K; k0 += kBlockK) {
    const int k1 = std::min(k0 + kBlockK, K);
    for (int j0 = 0; j0 < N; j0 += kBlockN) {
      const int j1 = std::min(j0 + kBlockN, N);
      for (int i = 0; i < M; ++i) {
        float* row = C + static_cast<long>(i) * N;
        for (int k = k0; k < k1; ++k) {
          const float a = A[static_cast<long>(i) * K + k];
          const float* b = B + static_cast<long>(k) * N;
          for (int j = j0; j < j1; ++j) row[j] += a * b[j];
        }
      }
    }
  }
}
