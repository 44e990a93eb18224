// ref: scale
// dims: N=4194304
// Loads through the read-only cache, stores that are the first to be evicted.
__global__ void Scale(const float* x, float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) __stcs(&y[i], 2.0f * __ldg(&x[i]) + 1.0f);
}
extern "C" void solve(const float* x, float* y, int N) { Scale<<<(N + 255) / 256, 256>>>(x, y, N); }
