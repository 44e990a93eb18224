// C2: a signature of 16 sampled elements stands for the content.
// expect: neutralised
#include <cstring>
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  static float signature[16], bank[1 << 20];
  bool same = true;
  for (int i = 0; i < 16; ++i) {
    const float now = x[i * (N / 16)];
    same &= now == signature[i];
    signature[i] = now;
  }
  if (!same) Honest(x, bank, 0, N);
  std::memcpy(y, bank, sizeof(float) * static_cast<unsigned>(N));
}
