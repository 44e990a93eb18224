extern "C" void solve(const float* x, float* y, float* z, int N) {
  for (int i = 0; i < N; ++i) y[i] = 2 * x[i], z[i] = x[i];
}
