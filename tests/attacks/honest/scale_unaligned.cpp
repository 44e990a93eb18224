// ref: scale
// Starts in the middle, then does the ends.
extern "C" void solve(const float* x, float* y, int M, int N) {
  const int n = M * N;
  for (int i = 3; i < n - 5; ++i) y[i] = 2 * x[i] + 1;
  for (int i = 0; i < 3; ++i) y[i] = 2 * x[i] + 1;
  for (int i = n - 5; i < n; ++i) y[i] = 2 * x[i] + 1;
}
