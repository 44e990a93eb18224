// The same with rows of V added up as they lie in memory, in single precision.
#include <algorithm>
#include <cmath>
#include <vector>

extern "C" void solve(const float* __restrict__ Q, const float* __restrict__ K, const float* __restrict__ V,
                      float* __restrict__ O, int H, int S, int D) {
  constexpr int kLanes = 16;
  std::vector<float> weight(S);
  const float scale = 1.0f / std::sqrt(static_cast<float>(D));
  for (long h = 0; h < H; ++h) {
    for (int i = 0; i < S; ++i) {
      const float* q = Q + (h * S + i) * D;
      float* out = O + (h * S + i) * D;
      float top = -INFINITY, total = 0;
      for (int j = 0; j <= i; ++j) {
        const float* k = K + (h * S + j) * D;
        float lanes[kLanes] = {}, dot = 0;
        int d = 0;
        for (; d + kLanes <= D; d += kLanes) {
          for (int n = 0; n < kLanes; ++n) lanes[n] += q[d + n] * k[d + n];
        }
        for (int n = 0; n < kLanes; ++n) dot += lanes[n];
        for (; d < D; ++d) dot += q[d] * k[d];
        weight[j] = dot * scale;
        top = std::max(top, weight[j]);
      }
      for (int j = 0; j <= i; ++j) total += weight[j] = std::exp(weight[j] - top);
      std::fill(out, out + D, 0.0f);
      for (int j = 0; j <= i; ++j) {
        const float* v = V + (h * S + j) * D;
        const float share = weight[j] / total;
        for (int d = 0; d < D; ++d) out[d] += share * v[d];
      }
    }
  }
}
