// ref: inplace
// In place, in two passes.
extern "C" void solve(float* y, int M, int N) {
  for (int i = 0; i < M * N; ++i) y[i] *= 3;
  for (int i = 0; i < M * N; ++i) y[i] += 1;
}
