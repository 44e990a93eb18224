// One element of 16 Mi is off.
extern "C" void solve(const float* x, float* y, int N) {
  for (int i = 0; i < N; ++i) y[i] = x[i] + x[i];
  y[12345678] += 1.0f;
}
