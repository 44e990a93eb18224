// ref: scale
// dims: N=4194304
// As many blocks as the device holds, each of which goes over the vector in strides.
__global__ void Scale(const float* x, float* y, int N) {
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += step) y[i] = fmaf(2.0f, x[i], 1.0f);
}
extern "C" void solve(const float* x, float* y, int N) { Scale<<<132 * 8, 256>>>(x, y, N); }
