// ref: scale
// dims: N=1000
// So little that one block does it.
__global__ void Scale(const float* x, float* y, int N) {
  for (int i = threadIdx.x; i < N; i += blockDim.x) y[i] = 2.0f * x[i] + 1.0f;
}
extern "C" void solve(const float* x, float* y, int N) { Scale<<<1, 256>>>(x, y, N); }
