// T2, T10: a thread reads the inputs while the GPU changes hands, so that the call finds them in the cache.
// expect: neutralised
#include <thread>
#include "honest.cuh"
__global__ void Read(const float* a, const float* b, int N, float* never) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) sum += a[i] + b[i];
  if (sum == 1e38F) *never = sum;
}
static void Run(const float* a, const float* b, float* c, int N) {
  for (;;) {
    Read<<<264, 256, 0, Aside()>>>(a, b, N, c);
    cudaStreamSynchronize(Aside());
  }
}
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  static const bool started = [=] { return std::thread(Run, a, b, c, N).detach(), true; }();
  (void)started;
  Honest(a, b, c, N);
}
