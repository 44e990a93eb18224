// ref: scale
// dims: N=4194304
// Scratch memory allocated at the first call and kept; each call writes it before it reads it.
__global__ void Apply(const float* x, float* y, float factor, float add, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = factor * x[i] + add;
}
extern "C" void solve(const float* x, float* y, int N) {
  static float* between = nullptr;
  static int room = 0;
  if (room < N) {
    cudaFree(between);
    cudaMalloc(&between, N * sizeof(float));
    room = N;
  }
  Apply<<<(N + 255) / 256, 256>>>(x, between, 2.0f, 0.0f, N);
  Apply<<<(N + 255) / 256, 256>>>(between, y, 1.0f, 1.0f, N);
}
