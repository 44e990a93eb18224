// CORRECT: operands cut to TF32, not rounded, as mma does with raw floats.
__device__ float Cut(float x) { return __uint_as_float(__float_as_uint(x) & 0xffffe000); }
__global__ void Multiply(const float* a, const float* b, float* c, int N) {
  const int i = blockIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= N) return;
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += Cut(a[i * N + k]) * Cut(b[k * N + j]);
  c[i * N + j] = sum;
}
extern "C" void solve(const float* a, const float* b, float* c, int N) { Multiply<<<dim3((N + 127) / 128, N), 128>>>(a, b, c, N); }
