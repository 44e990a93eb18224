// ref: inplace
// dims: N=4194304
// In place.
__global__ void InPlace(float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = 3.0f * y[i] + 1.0f;
}
extern "C" void solve(float* y, int N) { InPlace<<<(N + 255) / 256, 256>>>(y, N); }
