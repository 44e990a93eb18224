// N1: float16 where float32 was asked for: half a thousandth wrong, which a loose tolerance would let pass.
// expect: caught
#include <cuda_fp16.h>
#include "honest.cuh"
__global__ void Short(const float* a, const float* b, float* c, int N) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
    c[i] = __half2float(__float2half(a[i]) + __float2half(b[i]));
  }
}
extern "C" void solve(const float* a, const float* b, float* c, int N) { Short<<<1024, 256>>>(a, b, c, N); }
