// ref: inplace
// dims: N=4194304
// A copy in the workspace, from which everything is computed back.
#include <cstddef>
__global__ void Back(const float* old, float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[N - 1 - i] = 3.0f * old[N - 1 - i] + 1.0f;
}
extern "C" size_t solve_workspace_bytes(int N) { return sizeof(float) * static_cast<size_t>(N); }
extern "C" void solve(float* y, void* workspace, int N) {
  cudaMemcpyAsync(workspace, y, N * sizeof(float), cudaMemcpyDeviceToDevice, nullptr);
  Back<<<(N + 255) / 256, 256>>>(static_cast<const float*>(workspace), y, N);
}
