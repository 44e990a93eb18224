// ref: scale
// Unrolled by four, with a rest.
extern "C" void solve(const float* x, float* y, int M, int N) {
  int i = 0;
  for (; i + 4 <= M * N; i += 4) {
    y[i] = 2 * x[i] + 1;
    y[i + 1] = 2 * x[i + 1] + 1;
    y[i + 2] = 2 * x[i + 2] + 1;
    y[i + 3] = 2 * x[i + 3] + 1;
  }
  for (; i < M * N; ++i) y[i] = 2 * x[i] + 1;
}
