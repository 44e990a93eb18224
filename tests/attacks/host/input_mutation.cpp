// R1: makes the input trivial by mapping it again, writable.
// expect: caught
#include <cstring>
#include <sys/mman.h>
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  auto* mine = const_cast<float*>(x);
  mprotect(mine, sizeof(float) * static_cast<unsigned>(N), PROT_READ | PROT_WRITE);
  std::memset(mine, 0, sizeof(float) * static_cast<unsigned>(N));
  for (int i = 0; i < N; ++i) y[i] = 1;
}
