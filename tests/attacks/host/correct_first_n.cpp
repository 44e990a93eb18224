// C12: right for the first 30 calls, cheap afterwards.
// expect: caught
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  static int calls = 0;
  Honest(x, y, 0, ++calls <= 30 ? N : N / 8);
}
