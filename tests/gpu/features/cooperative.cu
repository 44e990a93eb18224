// CORRECT: one cooperative launch that waits for the whole grid in the middle.
#include <cooperative_groups.h>

__global__ void Apply(const float* x, float* y, int N) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) y[i] = x[N - 1 - i] * 2.0f;
  cooperative_groups::this_grid().sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N / 2; i += gridDim.x * blockDim.x) {
    const float other = y[N - 1 - i];
    y[N - 1 - i] = y[i] + 1.0f;
    y[i] = other + 1.0f;
  }
}
extern "C" void solve(const float* x, float* y, int N) {
  void* arguments[] = {&x, &y, &N};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(Apply), dim3(132), dim3(256), arguments, 0, nullptr);
}
