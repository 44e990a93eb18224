// ref: scale
// dims: N=4194304
// Does everything twice, and an empty kernel first.
__global__ void Nothing() {}
__global__ void Scale(const float* x, float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = 2.0f * x[i] + 1.0f;
}
extern "C" void solve(const float* x, float* y, int N) {
  Nothing<<<1, 1>>>();
  for (int k = 0; k < 2; ++k) Scale<<<(N + 255) / 256, 256>>>(x, y, N);
}
