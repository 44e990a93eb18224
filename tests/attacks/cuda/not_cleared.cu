// C6: adds to an output that it takes to be zero.
// expect: caught
#include "honest.cuh"
__global__ void AddTo(const float* a, const float* b, float* c, int N) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) c[i] += a[i] + b[i];
}
extern "C" void solve(const float* a, const float* b, float* c, int N) { AddTo<<<1024, 256>>>(a, b, c, N); }
