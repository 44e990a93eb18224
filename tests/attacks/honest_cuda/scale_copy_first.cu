// ref: scale
// dims: N=4194304
// Copies the input into the output, then works there.
__global__ void InPlace(float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = 2.0f * y[i] + 1.0f;
}
extern "C" void solve(const float* x, float* y, int N) {
  cudaMemcpyAsync(y, x, N * sizeof(float), cudaMemcpyDeviceToDevice, nullptr);
  InPlace<<<(N + 255) / 256, 256>>>(y, N);
}
