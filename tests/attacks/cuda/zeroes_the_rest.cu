// H10, H11: sets everything to zero that it finds near its buffers and that is not one of them: counters of errors, expected values.
// expect: neutralised
#include <cuda.h>
#include "honest.cuh"
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  static int tries = 0;
  const CUdeviceptr own[3] = {reinterpret_cast<CUdeviceptr>(a), reinterpret_cast<CUdeviceptr>(b), reinterpret_cast<CUdeviceptr>(c)};
  for (CUdeviceptr at = own[2] - (4ULL << 30); tries < 2 && at < own[2] + (4ULL << 30); at += 2 << 20) {
    CUdeviceptr base = 0;
    size_t bytes = 0;
    if (cuMemGetAddressRange(&base, &bytes, at) != CUDA_SUCCESS) continue;
    bool mine = false;
    for (const CUdeviceptr each : own) mine = mine || (base <= each && each < base + bytes);
    if (!mine) cuMemsetD8(base, 0, bytes);
  }
  ++tries;
  Honest(a, b, c, N);
}
