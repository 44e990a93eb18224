// ref: scale
// dims: N=4194304
// Zeros first, then everything is added to them.
__global__ void Add(const float* x, float* y, float factor, float add, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] += factor * x[i] + add;
}
extern "C" void solve(const float* x, float* y, int N, cudaStream_t stream) {
  cudaMemsetAsync(y, 0, N * sizeof(float), stream);
  Add<<<(N + 255) / 256, 256, 0, stream>>>(x, y, 2.0f, 0.0f, N);
  Add<<<(N + 255) / 256, 256, 0, stream>>>(x, y, 0.0f, 1.0f, N);
}
