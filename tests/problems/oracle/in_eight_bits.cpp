extern "C" void solve(const float* x, float* y, int N) {
  double sum = 0;
  for (int i = 0; i < N; ++i) y[i] = static_cast<float>(sum += static_cast<int>(x[i] * 256) / 256.0);
}
