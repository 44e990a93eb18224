// The honest twin; the same function as honest.h, in one file because a baseline
// is one file.
static void Honest(const float* x, float* y, int first, int last) {
  for (int i = first; i < last; ++i) {
    float sum = 1.0F;
    for (int k = 24; k > 0; --k) sum = 1.0F + sum * x[i] / static_cast<float>(k);
    y[i] = sum;
  }
}
extern "C" void solve(const float* x, float* y, int N) { Honest(x, y, 0, N); }
