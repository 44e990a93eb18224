// ref: softmax
// dims: M=1000 N=4093
// A warp for each row, greatest and sum found in one pass. N is at least 32.
__global__ void Softmax(const float* x, float* y, int M, int N) {
  const int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= M) return;
  x += static_cast<size_t>(row) * N;
  y += static_cast<size_t>(row) * N;
  float most = -INFINITY, sum = 0;
  for (int j = lane; j < N; j += 32) {
    const float v = x[j];
    if (v > most) {
      sum *= expf(most - v);
      most = v;
    }
    sum += expf(v - most);
  }
  for (int k = 16; k > 0; k /= 2) {
    const float other = __shfl_xor_sync(~0u, most, k), more = __shfl_xor_sync(~0u, sum, k), both = fmaxf(most, other);
    sum = sum * expf(most - both) + more * expf(other - both);
    most = both;
  }
  const float scale = 1.0f / sum;
  for (int j = lane; j < N; j += 32) y[j] = expf(x[j] - most) * scale;
}
extern "C" void solve(const float* x, float* y, int M, int N) { Softmax<<<(M + 3) / 4, 128>>>(x, y, M, N); }
