// The error message holds a byte that is not UTF-8.
#error café
extern "C" void solve(const float* x, float* y, int N) {
  for (int i = 0; i < N; ++i) y[i] = x[i] + x[i];
}
