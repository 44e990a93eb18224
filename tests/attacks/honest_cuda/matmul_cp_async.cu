// ref: matmul
// dims: N=512
// The next tiles come by cp.async while these are multiplied. N is a multiple of 32.
#include <cuda_pipeline.h>
__global__ void Multiply(const float* a, const float* b, float* c, int N) {
  __shared__ alignas(16) float ta[2][32][32], tb[2][32][32];
  const int row = blockIdx.y * 32, column = blockIdx.x * 32, lane = threadIdx.x % 32, part = threadIdx.x / 32;
  const int i = threadIdx.x / 8, j = threadIdx.x % 8 * 4;  // what this thread brings
  const auto fetch = [&](int k, int stage) {
    if (k < N) {
      __pipeline_memcpy_async(&ta[stage][i][j], &a[(row + i) * N + k + j], 16);
      __pipeline_memcpy_async(&tb[stage][i][j], &b[(k + i) * N + column + j], 16);
    }
    __pipeline_commit();
  };
  float sum[4] = {};
  fetch(0, 0);
  for (int k = 0, stage = 0; k < N; k += 32, stage ^= 1) {
    fetch(k + 32, stage ^ 1);
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int m = 0; m < 32; ++m) {
      for (int r = 0; r < 4; ++r) sum[r] += ta[stage][part * 4 + r][m] * tb[stage][m][lane];
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r) c[(row + part * 4 + r) * N + column + lane] = sum[r];
}
extern "C" void solve(const float* a, const float* b, float* c, int N) { Multiply<<<dim3(N / 32, N / 32), 256>>>(a, b, c, N); }
