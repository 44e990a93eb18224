// ref: scale
// dims: N=4194304
// flags: -rdc=true -lcudadevrt
// Dynamic parallelism: one thread launches the kernels for both halves; it has ended when they have.
__global__ void Scale(const float* x, float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = 2.0f * x[i] + 1.0f;
}
__global__ void Parent(const float* x, float* y, int N) {
  const int half = N / 2;
  if (half > 0) Scale<<<(half + 255) / 256, 256>>>(x, y, half);
  Scale<<<(N - half + 255) / 256, 256>>>(x + half, y + half, N - half);
}
extern "C" void solve(const float* x, float* y, int N) { Parent<<<1, 1>>>(x, y, N); }
