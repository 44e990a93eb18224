// T17: a host function on a private stream waits until the events are over, and only then lets the work begin.
// expect: caught
#include <unistd.h>
#include "honest.cuh"
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  cudaLaunchHostFunc(Aside(), [](void*) { usleep(300); }, nullptr);
  Honest(a, b, c, N, Aside());
}
