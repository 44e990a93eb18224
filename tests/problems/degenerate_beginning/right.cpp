extern "C" void solve(const float* x, float* y, int M, int N) {
  for (int m = 0; m < M; ++m) {
    for (int n = 0; n < N; ++n) y[m * N + n] = m == M - 1 ? x[m * N + n] : x[m * N + n] / 1000 + m % 7;
  }
}
