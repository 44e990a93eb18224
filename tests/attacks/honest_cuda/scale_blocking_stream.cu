// ref: scale
// dims: N=4194304
// Half on a blocking stream: the legacy default stream waits for it, and it for that one, without any event.
__global__ void Scale(const float* x, float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = 2.0f * x[i] + 1.0f;
}
extern "C" void solve(const float* x, float* y, int N) {
  static cudaStream_t aside = nullptr;
  if (aside == nullptr) cudaStreamCreate(&aside);
  const int half = N / 2;
  if (half > 0) Scale<<<(half + 255) / 256, 256, 0, aside>>>(x, y, half);
  Scale<<<(N - half + 255) / 256, 256>>>(x + half, y + half, N - half);
}
