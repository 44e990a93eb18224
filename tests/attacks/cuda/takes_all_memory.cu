// T21, E4: takes all memory that is free, so that nobody else can run.
// expect: caught
#include "honest.cuh"
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  static const bool taken = [] {
    void* memory = nullptr;
    for (size_t bytes = size_t{1} << 37; bytes > (1u << 20); bytes /= 2) {
      while (cudaMalloc(&memory, bytes) == cudaSuccess) {
      }
      (void)cudaGetLastError();
    }
    return true;
  }();
  (void)taken;
  Honest(a, b, c, N);
}
