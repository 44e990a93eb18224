// T21, E4: leaves kernels behind that read memory for half a millisecond, so that whoever is called next is slow.
// expect: caught
#include "honest.cuh"
__global__ void Burn(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  static cudaEvent_t done = [] {
    cudaEvent_t made;
    cudaEventCreateWithFlags(&made, cudaEventDisableTiming);
    return made;
  }();
  Honest(a, b, c, N);
  cudaEventRecord(done);
  cudaStreamWaitEvent(Aside(), done);
  Burn<<<132, 1024, 0, Aside()>>>(1'000'000);
}
