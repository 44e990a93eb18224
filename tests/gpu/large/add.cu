__global__ void Add(const float* a, const float* b, float* c, long long N) {
  for (long long i = blockIdx.x * 256LL + threadIdx.x; i < N; i += gridDim.x * 256LL) c[i] = a[i] + b[i];
}
extern "C" void solve(const float* a, const float* b, float* c, long long N) { Add<<<2112, 256>>>(a, b, c, N); }
