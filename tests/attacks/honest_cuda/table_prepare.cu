// ref: table
// dims: M=1024 N=4096
// What never changes is computed once, where that is allowed.
__global__ void Exp(const float* w, float* table, int N) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < N) table[j] = expf(w[j]);
}
__global__ void Apply(const float* table, const float* x, float* y, int M, int N) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= N) return;
  const float factor = table[j];
  for (int row = blockIdx.y; row < M; row += gridDim.y) y[static_cast<size_t>(row) * N + j] = x[static_cast<size_t>(row) * N + j] * factor;
}
static float* table = nullptr;
extern "C" void solve_prepare(const float* w, int N) {
  cudaMalloc(&table, N * sizeof(float));
  Exp<<<(N + 255) / 256, 256>>>(w, table, N);
  cudaDeviceSynchronize();
}
extern "C" void solve(const float* w, const float* x, float* y, int M, int N) { Apply<<<dim3((N + 255) / 256, 64), 256>>>(table, x, y, M, N); }
