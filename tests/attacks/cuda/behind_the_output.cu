// C7: keeps a copy of the answer behind its output, where an allocator would have put the next one, and looks there first.
// expect: caught
#include "honest.cuh"
__global__ void AddAndKeep(const float* a, const float* b, float* c, int N) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) c[i] = c[i + N] = a[i] + b[i];
}
extern "C" void solve(const float* a, const float* b, float* c, int N) { AddAndKeep<<<1024, 256>>>(a, b, c, N); }
