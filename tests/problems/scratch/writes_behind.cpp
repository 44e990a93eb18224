extern "C" void solve(const float* x, float* tmp, float* y, int N) {
  for (int i = 0; i < N; ++i) y[i] = 3 * x[i];
  tmp[N] = 0;
}
