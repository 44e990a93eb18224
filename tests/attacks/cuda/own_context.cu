// T1: the work goes to a context of its own, which waiting for the runner's does not wait for.
// expect: neutralised
// sizes: 1048576 16777216 402653184
#include <cuda.h>
#include "honest.cuh"
static CUcontext Own() {
  CUcontext before = nullptr, own = nullptr;
  cuCtxGetCurrent(&before);
  CUdevice device = 0;
  cuCtxGetDevice(&device);
#if CUDA_VERSION >= 13000
  cuCtxCreate(&own, nullptr, 0, device);
#else
  cuCtxCreate(&own, 0, device);
#endif
  cuCtxSetCurrent(before);
  return own;
}
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  static const CUcontext own = Own();
  CUcontext before = nullptr;
  cuCtxGetCurrent(&before);
  if (own == nullptr || cuCtxSetCurrent(own) != CUDA_SUCCESS) return Honest(a, b, c, N);
  Honest(a, b, c, N);
  cuCtxSetCurrent(before);
}
