// Query by query: scores, softmax, weighted sum.
#include <algorithm>
#include <cmath>
#include <vector>

extern "C" void solve(const float* Q, const float* K, const float* V, float* O, int H, int S, int D) {
  std::vector<double> weight(S);
  for (long h = 0; h < H; ++h) {
    for (int i = 0; i < S; ++i) {
      const float* q = Q + (h * S + i) * D;
      double top = -INFINITY, total = 0;
      for (int j = 0; j <= i; ++j) {
        const float* k = K + (h * S + j) * D;
        double dot = 0;
        for (int d = 0; d < D; ++d) dot += static_cast<double>(q[d]) * k[d];
        weight[j] = dot / std::sqrt(D);
        top = std::max(top, weight[j]);
      }
      for (int j = 0; j <= i; ++j) total += weight[j] = std::exp(weight[j] - top);
      for (int d = 0; d < D; ++d) {
        double sum = 0;
        for (int j = 0; j <= i; ++j) sum += weight[j] * V[(h * S + j) * D + d];
        O[(h * S + i) * D + d] = static_cast<float>(sum / total);
      }
    }
  }
}
