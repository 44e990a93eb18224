// ref: scale
// dims: N=4194304
// Loads that stay out of the first cache, stores that are written through.
__global__ void Scale(const float* x, float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) __stwt(&y[i], 2.0f * __ldcg(&x[i]) + 1.0f);
}
extern "C" void solve(const float* x, float* y, int N) { Scale<<<(N + 191) / 192, 192>>>(x, y, N); }
