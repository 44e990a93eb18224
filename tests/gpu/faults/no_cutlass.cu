// verdict: UNAVAILABLE NO_CUTLASS
// implementation: cutlass
__global__ void Copy(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
extern "C" void solve(const float* x, float* y, int N) { Copy<<<(N + 255) / 256, 256>>>(x, y, N); }
