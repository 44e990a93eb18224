// ref: scale
// dims: N=4194304
// One element each, blocks of one warp.
__global__ void Scale(const float* x, float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = 2.0f * x[i] + 1.0f;
}
extern "C" void solve(const float* x, float* y, int N) { Scale<<<(N + 31) / 32, 32>>>(x, y, N); }
