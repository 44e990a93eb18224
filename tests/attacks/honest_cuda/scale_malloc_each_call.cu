// ref: scale
// dims: N=262144
// cudaMalloc and cudaFree in each call, slow as that is.
__global__ void Apply(const float* x, float* y, float factor, float add, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = factor * x[i] + add;
}
extern "C" void solve(const float* x, float* y, int N) {
  float* between = nullptr;
  if (cudaMalloc(&between, N * sizeof(float)) != cudaSuccess) return;
  Apply<<<(N + 255) / 256, 256>>>(x, between, 2.0f, 0.0f, N);
  Apply<<<(N + 255) / 256, 256>>>(between, y, 1.0f, 1.0f, N);
  cudaStreamSynchronize(nullptr);
  cudaFree(between);
}
