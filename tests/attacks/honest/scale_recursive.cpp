// ref: scale
// Recursion to the depth of the logarithm.
static void Go(const float* x, float* y, int n) {
  if (n <= 64) {
    for (int i = 0; i < n; ++i) y[i] = 2 * x[i] + 1;
    return;
  }
  Go(x, y, n / 2);
  Go(x + n / 2, y + n / 2, n - n / 2);
}
extern "C" void solve(const float* x, float* y, int M, int N) {
  Go(x, y, M * N);
}
