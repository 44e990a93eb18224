// ref: scale
// dims: N=4194304
// Memory of the stream-ordered pool, in each call.
__global__ void Twice(const float* x, float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = 2.0f * x[i];
}
__global__ void PlusOne(const float* x, float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = x[i] + 1.0f;
}
extern "C" void solve(const float* x, float* y, int N) {
  float* between = nullptr;
  cudaMallocAsync(&between, N * sizeof(float), nullptr);
  Twice<<<(N + 255) / 256, 256>>>(x, between, N);
  PlusOne<<<(N + 255) / 256, 256>>>(between, y, N);
  cudaFreeAsync(between, nullptr);
}
