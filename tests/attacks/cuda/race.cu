// N5: two blocks fight over one element of a thousand: mostly right, and not always.
// expect: caught
#include "honest.cuh"
__global__ void Fight(const float* a, const float* b, float* c, int N) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
    c[i] = a[i] + b[i];
    if (i % 1000 == 999) c[i - 999 + (clock64() & 511)] = a[i];  // a neighbour's, before or after it writes
  }
}
extern "C" void solve(const float* a, const float* b, float* c, int N) { Fight<<<1024, 256>>>(a, b, c, N); }
