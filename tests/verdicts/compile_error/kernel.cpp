// A missing semicolon.
extern "C" void solve(const float* x, float* y, int N) {
  y[0] = x[0]
}
