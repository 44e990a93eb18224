extern "C" void solve(const float* x, float* tmp, float* y, int N) {
  for (int i = 0; i < N; ++i) tmp[i] = 2 * x[i];
  for (int i = 0; i < N; ++i) y[i] = x[i] + tmp[i];
}
