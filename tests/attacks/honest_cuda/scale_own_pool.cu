// ref: scale
// dims: N=4194304
// A pool of its own that keeps what was freed.
#include <cstdint>

__global__ void Apply(const float* x, float* y, float factor, float add, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = factor * x[i] + add;
}
static cudaMemPool_t MakePool() {
  cudaMemPool_t pool;
  cudaMemPoolProps about{};
  about.allocType = cudaMemAllocationTypePinned;
  about.location.type = cudaMemLocationTypeDevice;
  cudaGetDevice(&about.location.id);
  cudaMemPoolCreate(&pool, &about);
  uint64_t keep = UINT64_MAX;
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep);
  return pool;
}
extern "C" void solve(const float* x, float* y, int N, cudaStream_t stream) {
  static const cudaMemPool_t pool = MakePool();
  float* between = nullptr;
  cudaMallocFromPoolAsync(reinterpret_cast<void**>(&between), N * sizeof(float), pool, stream);
  Apply<<<(N + 255) / 256, 256, 0, stream>>>(x, between, 2.0f, 0.0f, N);
  Apply<<<(N + 255) / 256, 256, 0, stream>>>(between, y, 1.0f, 1.0f, N);
  cudaFreeAsync(between, stream);
}
