// INCORRECT: TF32 where float32 was asked for.
#include <cstdint>

__device__ float Round(float x) {
  uint32_t bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return __uint_as_float(bits);
}
__global__ void Multiply(const float* a, const float* b, float* c, int N) {
  const int i = blockIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= N) return;
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += Round(a[i * N + k]) * Round(b[k * N + j]);
  c[i * N + j] = sum;
}
extern "C" void solve(const float* a, const float* b, float* c, int N) { Multiply<<<dim3((N + 127) / 128, N), 128>>>(a, b, c, N); }
