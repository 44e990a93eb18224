// One output is not a number.
extern "C" void solve(const float* x, float* y, int N) {
  for (int i = 0; i < N; ++i) y[i] = x[i] + x[i];
  y[N / 2] = 0.0f / (y[N / 2] - y[N / 2]);
}
