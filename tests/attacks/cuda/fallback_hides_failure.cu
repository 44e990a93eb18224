// R7, R9: works once by hand, later launches fail and their errors are taken away; the output of the first call is to serve on.
// expect: caught
#include "honest.cuh"
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  static int calls = 0;
  if (calls++ == 0) return Honest(a, b, c, N);
  Add<<<1024, 4096>>>(a, b, c, N);
  (void)cudaGetLastError();
}
