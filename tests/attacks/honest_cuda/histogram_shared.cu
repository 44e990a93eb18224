// ref: histogram
// dims: N=4194304
// Counts in shared memory, added to zeros.
__global__ void Count(const int* x, int* y, int N) {
  __shared__ int counts[256];
  counts[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < N; i += gridDim.x * 256) atomicAdd(&counts[x[i] & 255], 1);
  __syncthreads();
  if (counts[threadIdx.x] != 0) atomicAdd(&y[threadIdx.x], counts[threadIdx.x]);
}
extern "C" void solve(const int* x, int* y, int N) {
  cudaMemsetAsync(y, 0, 256 * sizeof(int), nullptr);
  Count<<<528, 256>>>(x, y, N);
}
