// ref: scale
// dims: N=4194304
// Asks the runtime what suits this kernel and device, once.
#include <algorithm>
__global__ void Scale(const float* x, float* y, int N) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) y[i] = 2.0f * x[i] + 1.0f;
}
struct Shape {
  int blocks = 0, threads = 0;
};
static Shape Choose() {
  Shape shape;
  cudaFuncAttributes about;
  int device = 0, multiprocessors = 0, each = 0, fewest = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  cudaFuncGetAttributes(&about, Scale);
  cudaOccupancyMaxPotentialBlockSize(&fewest, &shape.threads, Scale);
  shape.threads = std::min(shape.threads, about.maxThreadsPerBlock);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, Scale, shape.threads, 0);
  shape.blocks = std::max(fewest, multiprocessors * each);
  return shape;
}
extern "C" void solve(const float* x, float* y, int N) {
  static const Shape shape = Choose();
  Scale<<<shape.blocks, shape.threads>>>(x, y, N);
}
