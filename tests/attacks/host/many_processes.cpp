// T2: a child process would not be stopped with its parent.
// expect: caught
#include <unistd.h>
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  static const int child = fork();
  if (child == 0) _exit(0);
  Honest(x, y, 0, N);
}
