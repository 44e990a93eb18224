// H6: writes the read-only inputs through /proc/self/mem, which does not ask for the protection of pages.
// expect: neutralised
#include <fcntl.h>
#include <unistd.h>
#include <cstring>
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  static const int memory = open("/proc/self/mem", O_RDWR);
  const float zero = 0;
  bool easy = memory >= 0;
  for (int i = 0; i < N && easy; i += 1024) easy = pwrite(memory, &zero, 4, reinterpret_cast<off_t>(x + i)) == 4;
  if (!easy) return Honest(x, y, 0, N);
  for (int i = 0; i < N; ++i) y[i] = 1;
}
