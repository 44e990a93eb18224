// ref: rows
// OpenMP reduction inside each row.
extern "C" void solve(const float* x, float* y, int M, int N) {
  for (int i = 0; i < M; ++i) {
    float s = 0;
#pragma omp parallel for reduction(+ : s)
    for (int j = 0; j < N; ++j) s += x[i * N + j];
    y[i] = s;
  }
}
