// ref: scale
// dims: N=4194304
// Other instances of a template for other sizes.
template <int kEach>
__global__ void Scale(const float* x, float* y, int N) {
  const int begin = blockIdx.x * 256 * kEach + threadIdx.x;
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    if (begin + 256 * k < N) y[begin + 256 * k] = 2.0f * x[begin + 256 * k] + 1.0f;
  }
}
template <int kEach>
static void Launch(const float* x, float* y, int N) {
  Scale<kEach><<<(N + 256 * kEach - 1) / (256 * kEach), 256>>>(x, y, N);
}
extern "C" void solve(const float* x, float* y, int N) {
  if (N < 1 << 12) return Launch<1>(x, y, N);
  if (N < 1 << 20) return Launch<2>(x, y, N);
  if (N == 1 << 22) return Launch<8>(x, y, N);
  Launch<4>(x, y, N);
}
