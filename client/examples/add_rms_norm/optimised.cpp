// Sum and squares in one pass over a row, sixteen of them at a time.
#include <cmath>

extern "C" void solve(const float* __restrict__ x, const float* __restrict__ residual, const float* __restrict__ w,
                      float* __restrict__ r, float* __restrict__ y, int M, int N, float eps) {
  constexpr int kLanes = 16;
  for (int row = 0; row < M; ++row) {
    const long at = static_cast<long>(row) * N;
    float lanes[kLanes] = {};
    int i = 0;
    for (; i + kLanes <= N; i += kLanes) {
      for (int k = 0; k < kLanes; ++k) {
        const float sum = x[at + i + k] + residual[at + i + k];
        r[at + i + k] = sum;
        lanes[k] += sum * sum;
      }
    }
    float squares = 0;
    for (int k = 0; k < kLanes; ++k) squares += lanes[k];
    for (; i < N; ++i) {
      r[at + i] = x[at + i] + residual[at + i];
      squares += r[at + i] * r[at + i];
    }
    const float scale = 1.0f / std::sqrt(squares / static_cast<float>(N) + eps);
    for (int j = 0; j < N; ++j) y[at + j] = r[at + j] * scale * w[j];
  }
}
