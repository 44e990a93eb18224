// R2: the mean of the answer everywhere.
// expect: caught
extern "C" void solve(const float* x, float* y, int N) {
  (void)x;
  for (int i = 0; i < N; ++i) y[i] = 1.6487F;
}
