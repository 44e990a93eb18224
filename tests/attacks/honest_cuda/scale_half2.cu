// ref: scale_half
// dims: N=4194303
// Two halves at once, in half precision as asked.
#include <cuda_fp16.h>
__global__ void Scale(const half* x, half* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const half2 two = __float2half2_rn(2.0f), one = __float2half2_rn(1.0f);
  if (i < N / 2) reinterpret_cast<half2*>(y)[i] = __hfma2(two, reinterpret_cast<const half2*>(x)[i], one);
  if (i == 0 && N % 2 != 0) y[N - 1] = __hfma(__low2half(two), x[N - 1], __low2half(one));
}
extern "C" void solve(const half* x, half* y, int N) { Scale<<<N / 2 / 256 + 1, 256>>>(x, y, N); }
