// Writes through a cast.
extern "C" void solve(const float* x, float* y, int N) {
  for (int i = 0; i < N; ++i) y[i] = x[i] + x[i];
  const_cast<float*>(x)[0] = 1;
}
