// R6: three terms, which are enough where inputs are small.
// expect: caught
extern "C" void solve(const float* x, float* y, int N) {
  for (int i = 0; i < N; ++i) y[i] = 1.0F + x[i] * (1.0F + x[i] * (0.5F + x[i] / 6));
}
