// C1: the same pointers as before, so the same answer as before.
// expect: caught
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  static const float* seen = nullptr;
  static float bank[1 << 20];
  if (seen != x) {
    Honest(x, bank, 0, N);
    seen = x;
  }
  for (int i = 0; i < N; ++i) y[i] = bank[i];
}
