// Three passes per row, one exponential at a time in double precision.
#include <cmath>

extern "C" void solve(const float* x, float* y, int M, int N) {
  for (int row = 0; row < M; ++row) {
    const float* in = x + static_cast<long>(row) * N;
    float* out = y + static_cast<long>(row) * N;
    double largest = in[0];
    for (int i = 1; i < N; ++i) largest = std::fmax(largest, in[i]);
    double sum = 0;
    for (int i = 0; i < N; ++i) sum += std::exp(in[i] - largest);
    for (int i = 0; i < N; ++i) out[i] = static_cast<float>(std::exp(in[i] - largest) / sum);
  }
}
