// T1: a third of the work goes to a stream that the events do not see, so that the wall clock hardly shows it.
// expect: neutralised
#include "honest.cuh"
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  const int own = N / 3 * 2 / 4 * 4;
  Honest(a + own, b + own, c + own, N - own, Aside());
  Honest(a, b, c, own);
}
