// 32 x 32 tiles of A and B in shared memory, each element read once per tile.
namespace {

constexpr int kTile = 32;

__global__ void Gemm(const float* A, const float* B, float* C, int m, int n, int k) {
  __shared__ float a[kTile][kTile], b[kTile][kTile + 1];
  const int col = blockIdx.x * kTile + threadIdx.x;
  const int row = blockIdx.y * kTile + threadIdx.y;
  float sum = 0;
  for (int k0 = 0; k0 < k; k0 += kTile) {
    const int ka = k0 + threadIdx.x, kb = k0 + threadIdx.y;
    a[threadIdx.y][threadIdx.x] = row < m && ka < k ? A[row * k + ka] : 0;
    b[threadIdx.y][threadIdx.x] = kb < k && col < n ? B[kb * n + col] : 0;
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += a[threadIdx.y][i] * b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n) C[row * n + col] = sum;
}

}  // namespace

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  Gemm<<<dim3((N + kTile - 1) / kTile, (M + kTile - 1) / kTile), dim3(kTile, kTile)>>>(A, B, C, M,
                                                                                     N, K);
}
