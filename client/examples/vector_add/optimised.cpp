// Told that nothing overlaps, the compiler uses the widest registers.
extern "C" void solve(const float* __restrict__ a, const float* __restrict__ b,
                      float* __restrict__ c, int N) {
  for (int i = 0; i < N; ++i) c[i] = a[i] + b[i];
}
