// ref: rows
// dims: M=1024 N=4096
// One cooperative launch: parts of rows, a barrier for the whole grid, sums of parts. M is at most 16,384.
#include <cooperative_groups.h>
constexpr int kParts = 4;
__device__ float parts[16384 * kParts];
__global__ void Sum(const float* x, float* y, int M, int N) {
  const int lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32, length = (N + kParts - 1) / kParts;
  for (int p = (blockIdx.x * blockDim.x + threadIdx.x) / 32; p < M * kParts; p += warps) {
    const float* const row = x + static_cast<size_t>(p / kParts) * N;
    const int begin = p % kParts * length, end = min(N, begin + length);
    float sum = 0;
    for (int j = begin + lane; j < end; j += 32) sum += row[j];
    for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(~0u, sum, k);
    if (lane == 0) parts[p] = sum;
  }
  cooperative_groups::this_grid().sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < M; i += gridDim.x * blockDim.x) {
    float sum = 0;
    for (int k = 0; k < kParts; ++k) sum += parts[i * kParts + k];
    y[i] = sum;
  }
}
extern "C" void solve(const float* x, float* y, int M, int N, cudaStream_t stream) {
  static int blocks = 0;
  if (blocks == 0) {
    int device = 0, multiprocessors = 0, each = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, Sum, 256, 0);
    blocks = multiprocessors * (each < 4 ? each : 4);
  }
  void* arguments[] = {&x, &y, &M, &N};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(Sum), dim3(blocks), dim3(256), arguments, 0, stream);
}
