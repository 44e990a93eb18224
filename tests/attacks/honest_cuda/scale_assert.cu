// ref: scale
// dims: N=4194304
// Asserts, which hold, stay in.
#include <cassert>
__global__ void Scale(const float* x, float* y, int N) {
  assert(blockDim.x == 256 && static_cast<long long>(gridDim.x) * 256 >= N);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  const float value = 2.0f * x[i] + 1.0f;
  assert(x[i] < 0.0f || value >= 1.0f);
  y[i] = value;
}
extern "C" void solve(const float* x, float* y, int N) {
  assert(x != nullptr && y != nullptr && N > 0);
  Scale<<<(N + 255) / 256, 256>>>(x, y, N);
}
