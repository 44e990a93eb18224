// ref: scale
// dims: N=4194301
// Pairs, and one that is left over.
__global__ void Scale(const float* x, float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N / 2) {
    const float2 v = reinterpret_cast<const float2*>(x)[i];
    reinterpret_cast<float2*>(y)[i] = make_float2(2.0f * v.x + 1.0f, 2.0f * v.y + 1.0f);
  }
  if (i == 0 && N % 2 != 0) y[N - 1] = 2.0f * x[N - 1] + 1.0f;
}
extern "C" void solve(const float* x, float* y, int N) { Scale<<<N / 2 / 128 + 1, 128>>>(x, y, N); }
