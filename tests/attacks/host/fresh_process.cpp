// T9, C12: Bug: in fresh pairs of processes only the last call was ever audited. This
// one is honest in the process that is verified; in a fresh one (its first two
// calls have different inputs) it works only when such an audit could be due.
// expect: caught
// needs: fresh pairs
#include <cstring>
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  static int calls = 0;
  static bool fresh = false;
  static float before[64];
  if (calls == 1) fresh = std::memcmp(before, x, sizeof before) != 0;
  if (calls == 0) std::memcpy(before, x, sizeof before);
  const int call = ++calls;
  const bool audited = call == 4 || call == 10 || call == 14 || call == 22 || call == 34 || call == 50;
  if (fresh && !audited) return;
  Honest(x, y, 0, N);
}
