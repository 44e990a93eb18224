// CORRECT: memory from the stream-ordered pool, taken and given back in each call.
__global__ void Scale(const float* x, float* y, float factor, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = x[i] * factor;
}
__global__ void PlusOne(const float* x, float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = x[i] + 1.0f;
}
extern "C" void solve(const float* x, float* y, int N, cudaStream_t stream) {
  float* between;
  cudaMallocAsync(&between, N * sizeof(float), stream);
  Scale<<<(N + 255) / 256, 256, 0, stream>>>(x, between, 2.0f, N);
  PlusOne<<<(N + 255) / 256, 256, 0, stream>>>(between, y, N);
  cudaFreeAsync(between, stream);
}
