// ref: scale
// dims: N=4194304
// Asks an event again and again until it is over.
#include <thread>
__global__ void Scale(const float* x, float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = 2.0f * x[i] + 1.0f;
}
extern "C" void solve(const float* x, float* y, int N, cudaStream_t stream) {
  static cudaEvent_t event = nullptr;
  if (event == nullptr) cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  Scale<<<(N + 255) / 256, 256, 0, stream>>>(x, y, N);
  cudaEventRecord(event, stream);
  while (cudaEventQuery(event) == cudaErrorNotReady) std::this_thread::yield();
}
