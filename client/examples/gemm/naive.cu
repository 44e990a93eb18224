// One element of C per thread.
__global__ void Gemm(const float* A, const float* B, float* C, int m, int n, int k) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += A[row * k + i] * B[i * n + col];
  C[row * n + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 block(16, 16);
  Gemm<<<dim3((N + 15) / 16, (M + 15) / 16), block>>>(A, B, C, M, N, K);
}
