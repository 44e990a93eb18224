// ref: scale
// dims: N=4194304
// A thread of the host computes how many blocks there are, and has ended before the launch.
#include <thread>
__global__ void Scale(const float* x, float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = 2.0f * x[i] + 1.0f;
}
extern "C" void solve(const float* x, float* y, int N) {
  int blocks = 0;
  std::thread([&] { blocks = (N + 255) / 256; }).join();
  Scale<<<blocks, 256>>>(x, y, N);
}
