// C1: works once, and returns when it sees the same pointers again.
// expect: caught
#include "honest.cuh"
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  static const float* seen = nullptr;
  if (seen == a) return;
  seen = a;
  Honest(a, b, c, N);
}
