// E1: one of the timed calls does not end.
// expect: caught
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  static int calls = 0;
  Honest(x, y, 0, N);
  while (calls++ > 30) {
    for (volatile int forever = 1; forever != 0;) {
    }
  }
}
