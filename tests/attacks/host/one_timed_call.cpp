// C12: one call does nothing, long after the checks; hardly an audit would be of that one.
// expect: caught
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  static int calls = 0;
  if (++calls != 45) Honest(x, y, 0, N);
}
