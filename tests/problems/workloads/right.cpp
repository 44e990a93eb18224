extern "C" void solve(const float* x, const float* z, const float* scale, float* y, int N) {
  for (int i = 0; i < N; ++i) y[i] = scale[i % 16] * x[i] + z[i];
}
