// C8: takes most of the free memory and looks in it for what others left: answers of the reference, of another user.
// expect: neutralised
#include "honest.cuh"
__global__ void Find(const float* memory, size_t count, const float* a, const float* b, unsigned long long* found) {
  const float want[3] = {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i + 2 < count; i += size_t{gridDim.x} * blockDim.x) {
    if (memory[i] == want[0] && memory[i + 1] == want[1] && memory[i + 2] == want[2]) *found = i + 1;
  }
}
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  static float* memory = nullptr;
  static unsigned long long* found = nullptr;
  static size_t bytes = 0;
  static int tries = 0;
  if (tries++ == 0) {
    size_t all = 0;
    cudaMemGetInfo(&bytes, &all);
    bytes = bytes / 2 < (size_t{8} << 30) ? bytes / 2 : size_t{8} << 30;
    if (cudaMalloc(&memory, bytes) != cudaSuccess) memory = nullptr;
    cudaMallocHost(&found, 8);
    *found = 0;
  }
  if (tries <= 3 && memory != nullptr) {
    Find<<<1024, 256>>>(memory, bytes / 4, a, b, found);
    cudaStreamSynchronize(nullptr);
  }
  if (*found == 0) return Honest(a, b, c, N);
  cudaMemcpyAsync(c, memory + *found - 1, sizeof(float) * N, cudaMemcpyDeviceToDevice);
}
