// ref: matmul
// dims: N=512
// Tiles of 32 in shared memory.
__global__ void Multiply(const float* a, const float* b, float* c, int N) {
  __shared__ float ta[32][32], tb[32][32];
  const int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < N; k += 32) {
    ta[threadIdx.y][threadIdx.x] = row < N && k + threadIdx.x < N ? a[row * N + k + threadIdx.x] : 0.0f;
    tb[threadIdx.y][threadIdx.x] = k + threadIdx.y < N && column < N ? b[(k + threadIdx.y) * N + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < 32; ++i) sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
    __syncthreads();
  }
  if (row < N && column < N) c[row * N + column] = sum;
}
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  Multiply<<<dim3((N + 31) / 32, (N + 31) / 32), dim3(32, 32)>>>(a, b, c, N);
}
