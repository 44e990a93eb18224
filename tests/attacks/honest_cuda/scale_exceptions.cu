// ref: scale
// dims: N=4194304
// Throws and catches in each call: no size of blocks is known for this N.
#include <map>
#include <stdexcept>
__global__ void Scale(const float* x, float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = 2.0f * x[i] + 1.0f;
}
extern "C" void solve(const float* x, float* y, int N) {
  static const std::map<int, int> known = {{1, 32}, {64, 64}};
  int threads = 256;
  try {
    threads = known.at(N);
  } catch (const std::out_of_range&) {
    threads = 512;
  }
  Scale<<<(N + threads - 1) / threads, threads>>>(x, y, N);
}
