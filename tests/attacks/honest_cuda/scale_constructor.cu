// ref: scale
// dims: N=4194304
// An object with constructor and destructor holds the two numbers.
#include <string>
#include <vector>
__global__ void Scale(const float* x, float* y, float factor, float add, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = factor * x[i] + add;
}
namespace {
struct Numbers {
  std::vector<float> values;
  std::string name = "scale";
  Numbers() : values{2.0f, 1.0f} {}
  ~Numbers() { values.clear(); }
} numbers;
}  // namespace
extern "C" void solve(const float* x, float* y, int N) { Scale<<<(N + 255) / 256, 256>>>(x, y, numbers.values[0], numbers.values[1], N); }
