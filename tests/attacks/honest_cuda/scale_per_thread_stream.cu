// ref: scale
// dims: N=4194304
// flags: -default-stream=per-thread
// The default stream of the thread, which is ordered with the legacy one as any blocking stream is.
__global__ void Scale(const float* x, float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = 2.0f * x[i] + 1.0f;
}
extern "C" void solve(const float* x, float* y, int N) { Scale<<<(N + 255) / 256, 256>>>(x, y, N); }
