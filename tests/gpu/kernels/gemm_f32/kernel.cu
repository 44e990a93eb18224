// N x N, tiles of 32; N is a multiple of 32. A, then B, in x.
__global__ void Gemm(const float* a, const float* b, float* c, int N) {
  __shared__ float ta[32][32], tb[32][32];
  const int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  for (int tile = 0; tile < N; tile += 32) {
    ta[threadIdx.y][threadIdx.x] = a[row * N + tile + threadIdx.x];
    tb[threadIdx.y][threadIdx.x] = b[(tile + threadIdx.y) * N + column];
    __syncthreads();
    for (int k = 0; k < 32; ++k) sum += ta[threadIdx.y][k] * tb[k][threadIdx.x];
    __syncthreads();
  }
  c[row * N + column] = sum;
}
extern "C" void solve(const float* x, float* y, int N) {
  Gemm<<<dim3(N / 32, N / 32), dim3(32, 32)>>>(x, x + static_cast<size_t>(N) * N, y, N);
}
