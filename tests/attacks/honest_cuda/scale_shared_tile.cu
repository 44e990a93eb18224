// ref: scale
// dims: N=4194304
// Through shared memory, written by one thread and read by another.
__global__ void Scale(const float* x, float* y, int N) {
  __shared__ float tile[256];
  const int i = blockIdx.x * 256 + threadIdx.x, j = blockIdx.x * 256 + 255 - threadIdx.x;
  tile[threadIdx.x] = i < N ? 2.0f * x[i] : 0.0f;
  __syncthreads();
  if (j < N) y[j] = tile[255 - threadIdx.x] + 1.0f;
}
extern "C" void solve(const float* x, float* y, int N) { Scale<<<(N + 255) / 256, 256>>>(x, y, N); }
