// ref: softmax
// dims: M=1024 N=4096
// Greatest, sum and quotient in three kernels with memory of the module between them. M is at most 16,384.
__device__ float greatest[16384], total[16384];
__global__ void Greatest(const float* x, int N) {
  float most = -INFINITY;
  for (int j = threadIdx.x; j < N; j += 32) most = fmaxf(most, x[static_cast<size_t>(blockIdx.x) * N + j]);
  for (int k = 16; k > 0; k /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, k));
  if (threadIdx.x == 0) greatest[blockIdx.x] = most;
}
__global__ void Total(const float* x, int N) {
  float sum = 0;
  const float most = greatest[blockIdx.x];
  for (int j = threadIdx.x; j < N; j += 32) sum += expf(x[static_cast<size_t>(blockIdx.x) * N + j] - most);
  for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(~0u, sum, k);
  if (threadIdx.x == 0) total[blockIdx.x] = sum;
}
__global__ void Quotient(const float* x, float* y, int N) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const size_t i = static_cast<size_t>(blockIdx.y) * N + j;
  if (j < N) y[i] = expf(x[i] - greatest[blockIdx.y]) / total[blockIdx.y];
}
extern "C" void solve(const float* x, float* y, int M, int N, cudaStream_t stream) {
  Greatest<<<M, 32, 0, stream>>>(x, N);
  Total<<<M, 32, 0, stream>>>(x, N);
  Quotient<<<dim3((N + 255) / 256, M), 256, 0, stream>>>(x, y, N);
}
