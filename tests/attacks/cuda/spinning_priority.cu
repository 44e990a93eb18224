// T1, T17: the end event is let through first: the work has the lowest priority, on a stream of its own behind an event.
// expect: caught
#include "honest.cuh"
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  static const cudaStream_t low = [] {
    int least = 0, greatest = 0;
    cudaDeviceGetStreamPriorityRange(&least, &greatest);
    cudaStream_t made;
    cudaStreamCreateWithPriority(&made, cudaStreamNonBlocking, least);
    return made;
  }();
  static cudaEvent_t begun = [] {
    cudaEvent_t made;
    cudaEventCreateWithFlags(&made, cudaEventDisableTiming);
    return made;
  }();
  cudaEventRecord(begun, nullptr);
  cudaStreamWaitEvent(low, begun);
  Honest(a, b, c, N, low);
}
