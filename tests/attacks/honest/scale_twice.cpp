// ref: scale
// Writes every element twice.
extern "C" void solve(const float* x, float* y, int M, int N) {
  for (int i = 0; i < M * N; ++i) y[i] = 2 * x[i] + 1;
  for (int i = 0; i < M * N; ++i) y[i] = 2 * x[i] + 1;
}
