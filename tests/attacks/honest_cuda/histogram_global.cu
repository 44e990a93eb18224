// ref: histogram
// dims: N=1048576
// Every element is an atomic addition to the output itself, which a kernel has cleared.
__global__ void Clear(int* y) { y[threadIdx.x] = 0; }
__global__ void Count(const int* x, int* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) atomicAdd(&y[x[i] & 255], 1);
}
extern "C" void solve(const int* x, int* y, int N, cudaStream_t stream) {
  Clear<<<1, 256, 0, stream>>>(y);
  Count<<<(N + 255) / 256, 256, 0, stream>>>(x, y, N);
}
