// ref: scale
// dims: N=4194303
// Sixteen bytes each, and a tail of up to three.
__global__ void Scale(const float* x, float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N / 4) {
    const float4 v = reinterpret_cast<const float4*>(x)[i];
    reinterpret_cast<float4*>(y)[i] = make_float4(2.0f * v.x + 1.0f, 2.0f * v.y + 1.0f, 2.0f * v.z + 1.0f, 2.0f * v.w + 1.0f);
  }
  if (i < N % 4) y[N - 1 - i] = 2.0f * x[N - 1 - i] + 1.0f;
}
extern "C" void solve(const float* x, float* y, int N) { Scale<<<N / 4 / 512 + 1, 512>>>(x, y, N); }
