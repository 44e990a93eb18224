// N1: rounds to the eleven bits of float16 where float32 was asked for.
// expect: caught
#include <cstdint>
#include <cstring>
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  Honest(x, y, 0, N);
  for (int i = 0; i < N; ++i) {
    uint32_t bits;
    std::memcpy(&bits, &y[i], 4);
    bits = (bits + 0x1000) & 0xffffe000;
    std::memcpy(&y[i], &bits, 4);
  }
}
