// ref: inplace
// In place.
extern "C" void solve(float* y, int M, int N) {
  for (int i = 0; i < M * N; ++i) y[i] = y[i] * 3 + 1;
}
