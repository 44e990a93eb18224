// ref: scan
// dims: N=4194304
// CUB, with temporary memory that is kept.
#include <cub/device/device_scan.cuh>
extern "C" void solve(const int* x, int* y, int N, cudaStream_t stream) {
  static void* temporary = nullptr;
  static size_t room = 0;
  size_t bytes = 0;
  cub::DeviceScan::InclusiveSum(nullptr, bytes, x, y, N, stream);
  if (bytes > room) {
    cudaFree(temporary);
    cudaMalloc(&temporary, bytes);
    room = bytes;
  }
  cub::DeviceScan::InclusiveSum(temporary, bytes, x, y, N, stream);
}
