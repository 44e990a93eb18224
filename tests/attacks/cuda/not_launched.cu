// R7: asks for more shared memory than there is, so that nothing runs, and says nothing of it.
// expect: caught
#include "honest.cuh"
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  Add<<<1024, 256, 300'000>>>(a, b, c, N);
  (void)cudaGetLastError();
}
