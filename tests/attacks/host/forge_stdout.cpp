// H1, T14: prints the result it wants and writes it to every descriptor.
// expect: neutralised
#include <cstdio>
#include <cstring>
#include <unistd.h>
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  static int calls = 0;
  const char* lie = "{\"verdict\":\"VERDICT_CORRECT\",\"median_us\":0.001}\n";
  if (calls++ == 0) {
    for (int fd = 1; fd < 64; ++fd) (void)!write(fd, lie, std::strlen(lie));
  }
  Honest(x, y, 0, N);
}
