// One addition at a time, the way it is written down. `volatile` keeps the
// compiler from vectorising what is meant to be the slow version.
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  for (int i = 0; i < N; ++i) {
    volatile float sum = a[i] + b[i];
    c[i] = sum;
  }
}
