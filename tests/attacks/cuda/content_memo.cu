// C2: keeps its last output with 64 sampled elements of the input, and gives it again when the samples are the same.
// expect: neutralised
#include "honest.cuh"
__global__ void Sample(const float* a, int N, float* samples, int* differ) {
  const float now = a[static_cast<size_t>(threadIdx.x) * (N / 64)];
  if (samples[threadIdx.x] != now) *differ = 1;
  samples[threadIdx.x] = now;
}
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  static float *kept = nullptr, *samples = nullptr;
  static int* differ = nullptr;
  if (kept == nullptr) {
    cudaMalloc(&kept, sizeof(float) * N);
    cudaMalloc(&samples, 64 * sizeof(float));
    cudaMallocHost(&differ, sizeof(int));
  }
  *differ = 0;
  Sample<<<1, 64>>>(a, N, samples, differ);
  cudaStreamSynchronize(nullptr);
  if (*differ == 0) {
    cudaMemcpyAsync(c, kept, sizeof(float) * N, cudaMemcpyDeviceToDevice);
    return;
  }
  Honest(a, b, c, N);
  cudaMemcpyAsync(kept, c, sizeof(float) * N, cudaMemcpyDeviceToDevice);
}
