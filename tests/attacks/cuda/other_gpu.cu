// T20: gives half of the work to another GPU, where there is one to be seen.
// expect: neutralised
#include "honest.cuh"
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  int devices = 0;
  cudaGetDeviceCount(&devices);
  if (devices < 2) return Honest(a, b, c, N);
  const int half = N / 2 / 4 * 4;
  cudaSetDevice(1);
  cudaDeviceEnablePeerAccess(0, 0);
  Honest(a + half, b + half, c + half, N - half, Aside());
  cudaSetDevice(0);
  Honest(a, b, c, half);
}
