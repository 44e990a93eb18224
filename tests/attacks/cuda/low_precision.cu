// N1: bfloat16 where float32 was asked for.
// expect: caught
#include <cuda_bf16.h>
#include "honest.cuh"
__global__ void Short(const float* a, const float* b, float* c, int N) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
    c[i] = __bfloat162float(__hadd(__float2bfloat16(a[i]), __float2bfloat16(b[i])));
  }
}
extern "C" void solve(const float* a, const float* b, float* c, int N) { Short<<<1024, 256>>>(a, b, c, N); }
