// ref: scale
// dims: N=4194304
// The two numbers lie in pinned memory of the host, from where the kernel reads them.
__global__ void Scale(const float* x, float* y, const volatile float* numbers, int N) {
  __shared__ float near[2];
  if (threadIdx.x < 2) near[threadIdx.x] = numbers[threadIdx.x];
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) y[i] = near[0] * x[i] + near[1];
}
extern "C" void solve(const float* x, float* y, int N) {
  static float *host = nullptr, *device = nullptr;
  if (host == nullptr) {
    cudaHostAlloc(reinterpret_cast<void**>(&host), 2 * sizeof(float), cudaHostAllocMapped);
    host[0] = 2.0f;
    host[1] = 1.0f;
    cudaHostGetDevicePointer(reinterpret_cast<void**>(&device), host, 0);
  }
  Scale<<<264, 512>>>(x, y, device, N);
}
