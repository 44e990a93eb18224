// ref: scale
// dims: N=4194304
// One element each, the largest blocks there are.
__global__ void __launch_bounds__(1024) Scale(const float* __restrict__ x, float* __restrict__ y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = 2.0f * x[i] + 1.0f;
}
extern "C" void solve(const float* x, float* y, int N) { Scale<<<(N + 1023) / 1024, 1024>>>(x, y, N); }
