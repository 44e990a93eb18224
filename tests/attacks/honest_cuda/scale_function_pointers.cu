// ref: scale
// dims: N=4194304
// What is done comes out of a table of functions on the device.
__device__ float Twice(float x) { return 2.0f * x; }
__device__ float PlusOne(float x) { return x + 1.0f; }
using Step = float (*)(float);
__device__ Step steps[2] = {Twice, PlusOne};
__global__ void Scale(const float* x, float* y, int N, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  float value = x[i];
  for (int k = 0; k < count; ++k) value = steps[k](value);
  y[i] = value;
}
extern "C" void solve(const float* x, float* y, int N) { Scale<<<(N + 255) / 256, 256>>>(x, y, N, 2); }
