// ref: scale
// dims: N=4194304
// Block size from the environment, where somebody set it, and from the number of CPUs where nobody did.
#include <cstdlib>
#include <thread>
__global__ void Scale(const float* x, float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = 2.0f * x[i] + 1.0f;
}
extern "C" void solve(const float* x, float* y, int N) {
  const char* const asked = std::getenv("SCALE_THREADS");
  int threads = asked != nullptr ? std::atoi(asked) : std::thread::hardware_concurrency() > 4 ? 256 : 512;
  if (threads < 32 || threads > 1024) threads = 256;
  Scale<<<(N + threads - 1) / threads, threads>>>(x, y, N);
}
