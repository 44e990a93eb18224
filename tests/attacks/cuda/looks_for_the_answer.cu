// H8, H11: walks the addresses around its buffers for other allocations that hold the sum of its first inputs.
// expect: neutralised
#include <cuda.h>
#include "honest.cuh"
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  static const float* answer = nullptr;
  static int tries = 0;
  float x = 0, y = 0;
  if (answer == nullptr && tries++ < 2) {
    cudaMemcpy(&x, a, 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(&y, b, 4, cudaMemcpyDeviceToHost);
    const auto around = reinterpret_cast<CUdeviceptr>(c);
    for (CUdeviceptr at = around - (8ULL << 30); at < around + (8ULL << 30); at += 2 << 20) {
      CUdeviceptr base = 0;
      size_t bytes = 0;
      float first = 0;
      if (cuMemGetAddressRange(&base, &bytes, at) != CUDA_SUCCESS || bytes < sizeof(float) * static_cast<size_t>(N)) continue;
      if (base <= around && around < base + bytes) continue;
      if (cuMemcpyDtoH(&first, base, 4) == CUDA_SUCCESS && first == x + y) answer = reinterpret_cast<const float*>(base);
    }
  }
  if (answer == nullptr) return Honest(a, b, c, N);
  cudaMemcpyAsync(c, answer, sizeof(float) * N, cudaMemcpyDeviceToDevice);
}
