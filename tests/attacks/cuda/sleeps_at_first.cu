// T9: sleeps in its first calls, so that a time limit leaves few to be timed.
// expect: neutralised
#include <unistd.h>
#include "honest.cuh"
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  static int calls = 0;
  if (calls++ < 10) usleep(60'000);
  Honest(a, b, c, N);
}
