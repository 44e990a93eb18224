// ref: scale
// dims: N=4194299
// Four loads on their way at once, blocks of 64.
__global__ void Scale(const float* x, float* y, int N) {
  const int begin = blockIdx.x * 256 + threadIdx.x;
  float v[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) v[k] = begin + 64 * k < N ? x[begin + 64 * k] : 0.0f;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    if (begin + 64 * k < N) y[begin + 64 * k] = 2.0f * v[k] + 1.0f;
  }
}
extern "C" void solve(const float* x, float* y, int N) { Scale<<<(N + 255) / 256, 64>>>(x, y, N); }
