extern "C" void solve(const float* x, float* y, int N);
__global__ void Copy(const float4* x, float4* y, int quads) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < quads) y[i] = x[i];
}
// N is a multiple of 4.
extern "C" void solve(const float* x, float* y, int N) {
  Copy<<<(N / 4 + 255) / 256, 256>>>(reinterpret_cast<const float4*>(x), reinterpret_cast<float4*>(y), N / 4);
}
