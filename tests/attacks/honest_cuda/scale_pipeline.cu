// ref: scale
// dims: N=4194304
// The same with cuda::pipeline and cuda::memcpy_async.
#include <cuda/pipeline>

__global__ void Scale(const float* x, float* y, int N) {
  __shared__ alignas(16) float tile[2][1024];
  auto pipe = cuda::make_pipeline();
  const int tiles = N / 1024, mine = 4 * threadIdx.x;
  const auto fetch = [&](int t, int stage) {
    pipe.producer_acquire();
    if (t < tiles) cuda::memcpy_async(&tile[stage][mine], x + t * 1024 + mine, cuda::aligned_size_t<16>(16), pipe);
    pipe.producer_commit();
  };
  fetch(blockIdx.x, 0);
  int stage = 0;
  for (int t = blockIdx.x; t < tiles; t += gridDim.x, stage ^= 1) {
    fetch(t + gridDim.x, stage ^ 1);
    cuda::pipeline_consumer_wait_prior<1>(pipe);
    __syncthreads();
    const float4 v = *reinterpret_cast<const float4*>(&tile[stage][mine]);
    *reinterpret_cast<float4*>(y + t * 1024 + mine) = make_float4(2.0f * v.x + 1.0f, 2.0f * v.y + 1.0f, 2.0f * v.z + 1.0f, 2.0f * v.w + 1.0f);
    __syncthreads();
    pipe.consumer_release();
  }
  for (int i = tiles * 1024 + blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) y[i] = 2.0f * x[i] + 1.0f;
}
extern "C" void solve(const float* x, float* y, int N) { Scale<<<132 * 6, 256>>>(x, y, N); }
