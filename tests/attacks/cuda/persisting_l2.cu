// T15: asks the cache to keep the inputs, so that no flush empties it of them.
// expect: neutralised
#include "honest.cuh"
extern "C" void solve(const float* a, const float* b, float* c, int N, cudaStream_t stream) {
  static const bool asked = [&] {
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 32 << 20);
    cudaStreamAttrValue window{};
    window.accessPolicyWindow.base_ptr = const_cast<float*>(a);
    window.accessPolicyWindow.num_bytes = N < 4 << 20 ? sizeof(float) * N : 16 << 20;
    window.accessPolicyWindow.hitRatio = 1.0F;
    window.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    window.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    return cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &window) == cudaSuccess;
  }();
  (void)asked;
  Honest(a, b, c, N, stream);
}
