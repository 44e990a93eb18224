extern "C" void solve(const float* x, float* y, int N) {
  volatile float sum = 0;
  for (int i = 0; i < N; ++i) y[i] = sum = sum + x[i];
}
