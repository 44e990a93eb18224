// E2: a fault that ends the context, so that whoever shares it fails too.
// expect: caught
#include "honest.cuh"
__global__ void Fault() { *reinterpret_cast<volatile int*>(0x10) = 1; }
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  static int calls = 0;
  Honest(a, b, c, N);
  if (calls++ == 5) Fault<<<1, 1>>>();
}
