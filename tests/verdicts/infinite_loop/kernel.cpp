// Never returns.
extern "C" void solve(const float* x, float* y, int N) {
  volatile bool forever = true;
  while (forever) {
  }
  for (int i = 0; i < N; ++i) y[i] = x[i] + x[i];
}
