// N4: one stretch of 512 elements, another in each call, is left as it was.
// expect: caught
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  static int calls = 0;
  const int gap = (calls++ * 7919) % (N / 512) * 512;
  Honest(x, y, 0, gap);
  Honest(x, y, gap + 512, N);
}
