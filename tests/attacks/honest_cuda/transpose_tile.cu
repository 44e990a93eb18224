// ref: transpose
// dims: M=1001 N=4099
// Tiles of 32 in shared memory, padded; nothing is a multiple of them.
__global__ void Transpose(const float* x, float* y, int M, int N) {
  __shared__ float tile[32][33];
  const int column = blockIdx.x * 32, row = blockIdx.y * 32;
  for (int k = threadIdx.y; k < 32; k += 8) {
    if (row + k < M && column + threadIdx.x < N) tile[k][threadIdx.x] = x[static_cast<size_t>(row + k) * N + column + threadIdx.x];
  }
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += 8) {
    if (column + k < N && row + threadIdx.x < M) y[static_cast<size_t>(column + k) * M + row + threadIdx.x] = tile[threadIdx.x][k];
  }
}
extern "C" void solve(const float* x, float* y, int M, int N, cudaStream_t stream) {
  Transpose<<<dim3((N + 31) / 32, (M + 31) / 32), dim3(32, 8), 0, stream>>>(x, y, M, N);
}
