// Follows a null pointer.
extern "C" void solve(const float* x, float* y, int N) {
  *reinterpret_cast<volatile int*>(N - N) = 1;
  for (int i = 0; i < N; ++i) y[i] = x[i] + x[i];
}
