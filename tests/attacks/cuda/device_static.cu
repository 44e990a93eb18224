// C3, R4: a __device__ buffer keeps the answer of the first call, which later calls copy: half of the traffic.
// expect: caught
#include "honest.cuh"
__device__ float kept[1 << 24];
__global__ void Keep(const float* c, int N) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) kept[i] = c[i];
}
__global__ void Give(float* c, int N) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) c[i] = kept[i];
}
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  static int calls = 0;
  if (calls++ > 0) return Give<<<1024, 256>>>(c, N);
  Honest(a, b, c, N);
  Keep<<<1024, 256>>>(c, N);
}
