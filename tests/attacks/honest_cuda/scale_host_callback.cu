// ref: scale
// dims: N=4194304
// The host counts, in the order of the stream, how many calls have ended.
#include <atomic>
__global__ void Scale(const float* x, float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = 2.0f * x[i] + 1.0f;
}
static std::atomic<long> ended{0};
static void CUDART_CB Count(void* data) { static_cast<std::atomic<long>*>(data)->fetch_add(1); }
extern "C" void solve(const float* x, float* y, int N, cudaStream_t stream) {
  Scale<<<(N + 255) / 256, 256, 0, stream>>>(x, y, N);
  cudaLaunchHostFunc(stream, Count, &ended);
}
