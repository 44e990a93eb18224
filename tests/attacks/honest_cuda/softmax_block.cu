// ref: softmax
// dims: M=1024 N=4096
// A block for each row, which is read three times.
__device__ float OfBlock(float value, bool sum, float* part) {
  for (int k = 16; k > 0; k /= 2) {
    const float other = __shfl_xor_sync(~0u, value, k);
    value = sum ? value + other : fmaxf(value, other);
  }
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
  __syncthreads();
  value = part[0];
  for (int k = 1; k < blockDim.x / 32; ++k) value = sum ? value + part[k] : fmaxf(value, part[k]);
  __syncthreads();
  return value;
}
__global__ void __launch_bounds__(512, 4) Softmax(const float* x, float* y, int N) {
  __shared__ float part[16];
  x += static_cast<size_t>(blockIdx.x) * N;
  y += static_cast<size_t>(blockIdx.x) * N;
  float most = -INFINITY, sum = 0;
  for (int j = threadIdx.x; j < N; j += blockDim.x) most = fmaxf(most, x[j]);
  most = OfBlock(most, false, part);
  for (int j = threadIdx.x; j < N; j += blockDim.x) sum += expf(x[j] - most);
  sum = OfBlock(sum, true, part);
  for (int j = threadIdx.x; j < N; j += blockDim.x) y[j] = expf(x[j] - most) / sum;
}
extern "C" void solve(const float* x, float* y, int M, int N) { Softmax<<<M, 512>>>(x, y, N); }
