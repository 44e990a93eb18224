extern "C" void solve(const double* x, double* y, int M, int N) {
  for (int i = 0; i < M * N; ++i) y[i] = x[i];
}
