// ref: rows
// dims: M=1024 N=4096
// What a warp finds to be zeros it does not add.
__global__ void Sum(const float* x, float* y, int M, int N) {
  const int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= M) return;
  float sum = 0;
  for (int begin = 0; begin < N; begin += 32) {
    const float v = begin + lane < N ? x[static_cast<size_t>(row) * N + begin + lane] : 0.0f;
    if (__any_sync(~0u, v != 0.0f)) sum += v;
  }
  for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(~0u, sum, k);
  if (lane == 0) y[row] = sum;
}
extern "C" void solve(const float* x, float* y, int M, int N) { Sum<<<(M + 3) / 4, 128>>>(x, y, M, N); }
