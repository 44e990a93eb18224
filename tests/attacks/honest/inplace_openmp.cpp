// ref: inplace
// In place with OpenMP.
extern "C" void solve(float* y, int M, int N) {
#pragma omp parallel for
  for (int i = 0; i < M * N; ++i) y[i] = y[i] * 3 + 1;
}
