// ref: scale
// dims: N=4194304
// From the last element to the first, blocks of 96: no power of two.
__global__ void Scale(const float* x, float* y, int N) {
  const int i = N - 1 - static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= 0) y[i] = 2.0f * x[i] + 1.0f;
}
extern "C" void solve(const float* x, float* y, int N) { Scale<<<(N + 95) / 96, 96>>>(x, y, N); }
