// ref: inplace
// dims: N=4194303
// Two kernels, the first on pairs.
__global__ void Times(float* y, float factor, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N / 2) {
    float2 v = reinterpret_cast<float2*>(y)[i];
    v.x *= factor, v.y *= factor;
    reinterpret_cast<float2*>(y)[i] = v;
  }
  if (i == 0 && N % 2 != 0) y[N - 1] *= factor;
}
__global__ void Plus(float* y, float add, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] += add;
}
extern "C" void solve(float* y, int N, cudaStream_t stream) {
  Times<<<N / 2 / 256 + 1, 256, 0, stream>>>(y, 3.0f, N);
  Plus<<<(N + 255) / 256, 256, 0, stream>>>(y, 1.0f, N);
}
