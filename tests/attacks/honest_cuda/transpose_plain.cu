// ref: transpose
// dims: M=1024 N=4096
// As it is written down; stores that lie far apart.
__global__ void Transpose(const float* x, float* y, int M, int N) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < M && j < N) y[static_cast<size_t>(j) * M + i] = x[static_cast<size_t>(i) * N + j];
}
extern "C" void solve(const float* x, float* y, int M, int N) {
  Transpose<<<dim3((N + 31) / 32, (M + 7) / 8), dim3(32, 8)>>>(x, y, M, N);
}
