// ref: scale
// dims: N=4194304
// Prints a line from the device, once.
#include <cstdio>
__device__ int said;
__global__ void Scale(const float* x, float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0 && atomicExch(&said, 1) == 0) printf("scale: %d elements\n", N);
  if (i < N) y[i] = 2.0f * x[i] + 1.0f;
}
extern "C" void solve(const float* x, float* y, int N) { Scale<<<(N + 255) / 256, 256>>>(x, y, N); }
