// N5: one element of the output is wrong, another in each call: a race that is lost now and then.
// expect: caught
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  Honest(x, y, 0, N);
  static unsigned state = 12345;
  state = state * 1664525 + 1013904223;
  y[state % static_cast<unsigned>(N)] *= 1.01F;
}
