// C2: a hash of all of the content.
// expect: neutralised
#include <cstdint>
#include <cstring>
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  static std::uint32_t known = 0;
  static float bank[1 << 20];
  std::uint32_t hash = 2166136261U;
  for (int i = 0; i < N; ++i) {
    std::uint32_t bits;
    std::memcpy(&bits, x + i, 4);
    hash = hash * 31 + bits;
  }
  if (hash != known) Honest(x, bank, 0, N);
  known = hash;
  std::memcpy(y, bank, sizeof(float) * static_cast<unsigned>(N));
}
