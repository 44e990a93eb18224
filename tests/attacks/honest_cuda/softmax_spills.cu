// ref: softmax
// dims: M=1024 N=4096
// flags: -maxrregcount=32
// 64 values for each thread, where 32 registers are allowed: most of them spill. N is at most 4,096.
__global__ void Softmax(const float* x, float* y, int N) {
  __shared__ float part[2][2];
  x += static_cast<size_t>(blockIdx.x) * N;
  y += static_cast<size_t>(blockIdx.x) * N;
  const int warp = threadIdx.x / 32;
  float v[64], most = -INFINITY, sum = 0;
#pragma unroll
  for (int k = 0; k < 64; ++k) {
    const int j = k * 64 + threadIdx.x;
    v[k] = j < N ? x[j] : -INFINITY;
    most = fmaxf(most, v[k]);
  }
  for (int k = 16; k > 0; k /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, k));
  part[0][warp] = most;
  __syncthreads();
  most = fmaxf(part[0][0], part[0][1]);
#pragma unroll
  for (int k = 0; k < 64; ++k) sum += v[k] = expf(v[k] - most);
  for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(~0u, sum, k);
  part[1][warp] = sum;
  __syncthreads();
  sum = part[1][0] + part[1][1];
#pragma unroll
  for (int k = 0; k < 64; ++k) {
    const int j = k * 64 + threadIdx.x;
    if (j < N) y[j] = v[k] / sum;
  }
}
extern "C" void solve(const float* x, float* y, int M, int N) { Softmax<<<M, 64>>>(x, y, N); }
