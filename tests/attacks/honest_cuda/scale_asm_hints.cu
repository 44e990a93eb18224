// ref: scale
// dims: N=4194304
// Cache hints in PTX.
__global__ void Scale(const float* x, float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N / 4) return;
  float a, b, c, d;
  asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(x + 4 * i));
  asm volatile("st.global.cs.v4.f32 [%0], {%1, %2, %3, %4};"
               ::"l"(y + 4 * i), "f"(2.0f * a + 1.0f), "f"(2.0f * b + 1.0f), "f"(2.0f * c + 1.0f), "f"(2.0f * d + 1.0f)
               : "memory");
}
__global__ void ScaleRest(const float* x, float* y, int begin, int N) {
  for (int i = begin + threadIdx.x; i < N; i += blockDim.x) y[i] = 2.0f * x[i] + 1.0f;
}
extern "C" void solve(const float* x, float* y, int N) {
  if (N >= 4) Scale<<<(N / 4 + 255) / 256, 256>>>(x, y, N);
  if (N % 4 != 0) ScaleRest<<<1, 32>>>(x, y, N / 4 * 4, N);
}
