// ref: rows
// A tree instead of a chain.
static float Tree(const float* x, int n) {
  if (n == 1) return x[0];
  return Tree(x, n / 2) + Tree(x + n / 2, n - n / 2);
}
extern "C" void solve(const float* x, float* y, int M, int N) {
  for (int i = 0; i < M; ++i) y[i] = Tree(x + i * N, N);
}
