// ref: inplace
// Leaves early where there is nothing.
extern "C" void solve(float* y, int M, int N) {
  if (M == 0 || N == 0) return;
  for (int i = 0; i < M * N; ++i) {
    if (y[i] == 0) {
      y[i] = 1;
      continue;
    }
    y[i] = y[i] * 3 + 1;
  }
}
