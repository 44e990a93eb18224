// Sixteen independent float sums, one reciprocal per row.
#include <cmath>

extern "C" void solve(const float* __restrict__ x, const float* __restrict__ w,
                      float* __restrict__ y, int M, int N, float eps) {
  constexpr int kLanes = 16;
  for (int row = 0; row < M; ++row) {
    const float* in = x + static_cast<long>(row) * N;
    float* out = y + static_cast<long>(row) * N;
    float lanes[kLanes] = {};
    int i = 0;
    for (; i + kLanes <= N; i += kLanes) {
      for (int k = 0; k < kLanes; ++k) lanes[k] += in[i + k] * in[i + k];
    }
    float squares = 0;
    for (int k = 0; k < kLanes; ++k) squares += lanes[k];
    for (; i < N; ++i) squares += in[i] * in[i];
    const float scale = 1.0f / std::sqrt(squares / static_cast<float>(N) + eps);
    for (int j = 0; j < N; ++j) out[j] = in[j] * scale * w[j];
  }
}
