// C12, T9: right in the first calls, then does a quarter of the work.
// expect: caught
#include "honest.cuh"
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  static int calls = 0;
  Honest(a, b, c, calls++ < 16 ? N : N / 4);
}
