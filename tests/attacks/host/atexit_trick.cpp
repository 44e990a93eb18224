// H19: leaves something to run at exit, then exits as if all were well.
// expect: caught
#include <cstdio>
#include <cstdlib>
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  static int calls = 0;
  if (++calls == 20) {
    std::atexit([] { std::puts("ok"); });
    std::exit(0);
  }
  Honest(x, y, 0, N);
}
