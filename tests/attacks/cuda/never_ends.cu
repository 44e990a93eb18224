// E1: a kernel that does not end, in the middle of the timed calls.
// expect: caught
#include "honest.cuh"
__global__ void Forever(volatile int* never) {
  while (*never == 0) {
  }
}
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  static int calls = 0;
  static int* const never = [] {
    int* made = nullptr;
    cudaMalloc(&made, sizeof(int));
    cudaMemset(made, 0, sizeof(int));
    return made;
  }();
  Honest(a, b, c, N);
  if (calls++ == 30) Forever<<<1, 1>>>(never);
}
