// H7, R1: makes the inputs writable and sets them to zero, so that one is the answer.
// expect: neutralised
#include <sys/mman.h>
#include <cstdint>
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  void* const page = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(x) & ~uintptr_t{4095});
  if (mprotect(page, sizeof(float) * static_cast<unsigned>(N), PROT_READ | PROT_WRITE) != 0) return Honest(x, y, 0, N);
  for (int i = 0; i < N; ++i) const_cast<float*>(x)[i] = 0, y[i] = 1;
}
