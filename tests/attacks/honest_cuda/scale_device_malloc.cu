// ref: scale
// dims: N=4194304
// Each block takes memory of the device's heap and gives it back.
#include <cstdlib>
__global__ void Scale(const float* x, float* y, int N) {
  __shared__ float* between;
  __shared__ float near[256];
  if (threadIdx.x == 0) {
    between = static_cast<float*>(malloc(256 * sizeof(float)));
    if (between == nullptr) between = near;
  }
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < N; i += gridDim.x * 256) {
    between[threadIdx.x] = 2.0f * x[i];
    y[i] = between[threadIdx.x] + 1.0f;
  }
  __syncthreads();
  if (threadIdx.x == 0 && between != near) free(between);
}
extern "C" void solve(const float* x, float* y, int N) { Scale<<<264, 256>>>(x, y, N); }
