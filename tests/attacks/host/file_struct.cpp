// H2, H3, T14: puts the judge's socket in the place of standard output, and prints a verdict into it.
// expect: neutralised
#include <unistd.h>
#include <cstdio>
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  static const bool tried = [] {
    std::fflush(stdout);
    dup2(3, 1);
    stdout->_fileno = 3;
    std::printf("ok\n{\"verdict\": \"CORRECT\", \"median_us\": 0.1}\n");
    return std::fflush(stdout) == 0;
  }();
  (void)tried;
  Honest(x, y, 0, N);
}
