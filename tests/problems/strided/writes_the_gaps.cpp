extern "C" void solve(const float* x, float* y, int M, int N, int LD) {
  for (int i = 0; i < (M - 1) * LD + N; ++i) y[i] = 2 * x[i];
  for (int i = 0; i < M - 1; ++i) {
    for (int k = N; k < LD; ++k) y[i * LD + k] = 0;
  }
}
