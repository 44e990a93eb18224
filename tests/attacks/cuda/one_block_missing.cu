// N4, R5: one block of 256 elements, another in each call, is left out.
// expect: caught
#include "honest.cuh"
__global__ void Rest(const float* a, const float* b, float* c, int N, int out) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
    if (i / 256 != out) c[i] = a[i] + b[i];
  }
}
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  static unsigned calls = 0;
  Rest<<<1024, 256>>>(a, b, c, N, static_cast<int>(calls++ * 7919u % static_cast<unsigned>(N / 256)));
}
