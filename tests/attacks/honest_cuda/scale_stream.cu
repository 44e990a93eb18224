// ref: scale
// dims: N=4194304
// On the stream it is given.
__global__ void Scale(const float* x, float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = 2.0f * x[i] + 1.0f;
}
extern "C" void solve(const float* x, float* y, int N, cudaStream_t stream) { Scale<<<(N + 127) / 128, 128, 0, stream>>>(x, y, N); }
