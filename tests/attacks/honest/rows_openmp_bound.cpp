// ref: rows
// Asks for binding, which is refused, and goes on.
extern "C" void solve(const float* x, float* y, int M, int N) {
#pragma omp parallel for num_threads(4) proc_bind(spread)
  for (int i = 0; i < M; ++i) {
    float s = 0;
    for (int j = 0; j < N; ++j) s += x[i * N + j];
    y[i] = s;
  }
}
