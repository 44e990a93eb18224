// N7: writes one element more than there are.
// expect: caught
#include "honest.cuh"
__global__ void One(float* c, int N) { c[N] = 1.0F; }
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  Honest(a, b, c, N);
  One<<<1, 1>>>(c, N);
}
