// C7: looks behind its output for the answer of an earlier call, and keeps one there.
// expect: caught
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  if (y[N] == x[0]) {
    for (int i = 0; i < N; ++i) y[i] = y[N + 1 + i];
    return;
  }
  Honest(x, y, 0, N);
  y[N] = x[0];
  for (int i = 0; i < N; ++i) y[N + 1 + i] = y[i];
}
