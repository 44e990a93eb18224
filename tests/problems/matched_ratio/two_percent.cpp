extern "C" void solve(const float* x, float* y, int N) {
  for (int i = 0; i < N; ++i) y[i] = x[i] + x[i] + (i % 50 == 0 ? 0.05F : 0.0F);
}
