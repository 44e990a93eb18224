// T9: honest only at addresses that are new, as a verify buffer might be.
// expect: caught
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  static const float* seen[64];
  static int count = 0;
  for (int i = 0; i < count; ++i) {
    if (seen[i] == x) return Honest(x, y, 0, N / 4);
  }
  if (count < 64) seen[count++] = x;
  Honest(x, y, 0, N);
}
