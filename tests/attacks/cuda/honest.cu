// The honest twin in one file, because a baseline is one file.
__global__ void Add(const float* a, const float* b, float* c, int N) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) c[i] = a[i] + b[i];
}
extern "C" void solve(const float* a, const float* b, float* c, int N) { Add<<<1024, 256>>>(a, b, c, N); }
