// ref: rows
// dims: M=1024 N=4096
// Asks the L2 for the next row while it adds this one up.
__global__ void Sum(const float* x, float* y, int M, int N) {
  __shared__ float part[8];
  for (int row = blockIdx.x; row < M; row += gridDim.x) {
    const float* const here = x + static_cast<size_t>(row) * N;
    const float* const there = here + static_cast<size_t>(gridDim.x) * N;
    if (row + static_cast<int>(gridDim.x) < M) {
      for (int j = threadIdx.x * 32; j < N; j += 256 * 32) asm volatile("prefetch.global.L2 [%0];" ::"l"(there + j));
    }
    float sum = 0;
    for (int j = threadIdx.x; j < N; j += 256) sum += here[j];
    for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(~0u, sum, k);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int k = 1; k < 8; ++k) sum += part[k];
      y[row] = sum;
    }
    __syncthreads();
  }
}
extern "C" void solve(const float* x, float* y, int M, int N) { Sum<<<264, 256>>>(x, y, M, N); }
