// ref: rows
// Compensated summation.
extern "C" void solve(const float* x, float* y, int M, int N) {
  for (int i = 0; i < M; ++i) {
    volatile float s = 0, c = 0;
    for (int j = 0; j < N; ++j) {
      const float t = x[i * N + j] - c, u = s + t;
      c = (u - s) - t;
      s = u;
    }
    y[i] = s;
  }
}
