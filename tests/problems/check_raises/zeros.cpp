extern "C" void solve(const double* x, double* y, int N) {
  for (int i = 0; i < N * N; ++i) y[i] = 0;
}
