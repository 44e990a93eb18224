extern "C" void solve(const float* x, bool* any, int N) {
  bool found = false;
  for (int i = 0; i < N; ++i) found = found || x[i] > 1000;
  *any = found;
}
