extern "C" void solve(const float* x, const float* z, const float* scale, float* y, int N) {
  for (int i = 0; i + 8 <= N; i += 8) {
    for (int k = i; k < i + 8; ++k) y[k] = scale[k % 16] * x[k] + z[k];
  }
}
