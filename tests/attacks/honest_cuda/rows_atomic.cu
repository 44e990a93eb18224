// ref: rows
// dims: M=1024 N=4096
// Zeros first, then atomic additions in whatever order.
__global__ void Sum(const float* x, float* y, int N) {
  const int begin = blockIdx.x * 512, end = min(N, begin + 512);
  float sum = 0;
  for (int j = begin + threadIdx.x; j < end; j += 128) sum += x[static_cast<size_t>(blockIdx.y) * N + j];
  for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(~0u, sum, k);
  if (threadIdx.x % 32 == 0) atomicAdd(&y[blockIdx.y], sum);
}
extern "C" void solve(const float* x, float* y, int M, int N) {
  cudaMemsetAsync(y, 0, M * sizeof(float), nullptr);
  Sum<<<dim3((N + 511) / 512, M), 128>>>(x, y, N);
}
