// c = a b of N x N floats, one thread for each element.
#include <cstdint>

__device__ float Rounded(float x) {
  uint32_t bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return __uint_as_float(bits);
}
__device__ float Cut(float x) { return __uint_as_float(__float_as_uint(x) & 0xffffe000); }

template <float (*Operand)(float)>
__global__ void Multiply(const float* a, const float* b, float* c, int N) {
  const int i = blockIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= N) return;
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += Operand(a[i * N + k]) * Operand(b[k * N + j]);
  c[i * N + j] = sum;
}
