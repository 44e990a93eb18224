__global__ void Add(const float* x, float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = x[i] + 1.0f;
}
__global__ void Double(float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] *= 2.0f;
}
__global__ void Subtract(const float* x, float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] -= x[i];
}
extern "C" void solve(const float* x, float* y, int N) {
  const int blocks = (N + 255) / 256;
  Add<<<blocks, 256>>>(x, y, N);
  Double<<<blocks, 256>>>(y, N);
  Subtract<<<blocks, 256>>>(x, y, N);
}
