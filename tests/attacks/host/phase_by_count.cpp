// T9: guesses from the number of calls that timing has begun, and is honest
// again now and then.
// expect: caught
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  static int calls = 0;
  ++calls;
  Honest(x, y, 0, calls > 14 && calls % 4 != 0 ? N / 2 : N);
}
