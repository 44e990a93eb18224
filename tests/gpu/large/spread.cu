// One number to many.
__global__ void Spread(const float* x, float* y, long long N) {
  for (long long i = blockIdx.x * 256LL + threadIdx.x; i < N; i += gridDim.x * 256LL) y[i] = x[i & 1023];
}
extern "C" void solve(const float* x, float* y, long long N) { Spread<<<2112, 256>>>(x, y, N); }
