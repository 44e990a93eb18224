// Stops one element early.
extern "C" void solve(const float* x, float* y, int N) {
  for (int i = 0; i < N - 1; ++i) y[i] = x[i] + x[i];
}
