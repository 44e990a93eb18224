// ref: matmul
// dims: N=500
// Sixteen results in the registers of each thread.
__global__ void __launch_bounds__(256) Multiply(const float* a, const float* b, float* c, int N) {
  __shared__ float ta[16][64], tb[16][64];
  const int row = blockIdx.y * 64, column = blockIdx.x * 64, tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  float sum[4][4] = {};
  for (int k = 0; k < N; k += 16) {
    for (int t = threadIdx.x; t < 1024; t += 256) {
      const int i = t / 16, j = t % 16, p = t / 64, q = t % 64;
      ta[j][i] = row + i < N && k + j < N ? a[(row + i) * N + k + j] : 0.0f;
      tb[p][q] = k + p < N && column + q < N ? b[(k + p) * N + column + q] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int m = 0; m < 16; ++m) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) sum[i][j] += ta[m][ty * 4 + i] * tb[m][tx * 4 + j];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int r = row + ty * 4 + i, q = column + tx * 4 + j;
      if (r < N && q < N) c[r * N + q] = sum[i][j];
    }
  }
}
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  Multiply<<<dim3((N + 63) / 64, (N + 63) / 64), 256>>>(a, b, c, N);
}
