extern "C" void solve(const float* x, float* tmp, float* y, int M, int N, int LD) {
  static int calls = 0;
  ++calls;
  for (int i = 0; i < M; ++i) {
    for (int k = 0; k < N; ++k) tmp[i * LD + k] = x[i * N + k];
    for (int k = 0; k < N; ++k) y[i * LD + k] += tmp[i * LD + k];
    tmp[i * LD] = static_cast<float>(calls);
  }
}
