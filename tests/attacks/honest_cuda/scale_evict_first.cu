// ref: scale
// dims: N=4194304
// A cache policy made on the device: everything passes through the L2 without staying.
__global__ void Scale(const float* x, float* y, int N) {
  unsigned long long policy;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
    float v;
    asm volatile("ld.global.nc.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(v) : "l"(x + i), "l"(policy));
    asm volatile("st.global.L2::cache_hint.f32 [%0], %1, %2;" ::"l"(y + i), "f"(2.0f * v + 1.0f), "l"(policy) : "memory");
  }
}
extern "C" void solve(const float* x, float* y, int N) { Scale<<<132 * 4, 512>>>(x, y, N); }
