// ref: scale
// dims: N=4194304
// Two streams made anew in each call, one of high and one of low priority, forked and joined.
__global__ void Scale(const float* x, float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = 2.0f * x[i] + 1.0f;
}
extern "C" void solve(const float* x, float* y, int N, cudaStream_t stream) {
  int lowest, highest;
  cudaDeviceGetStreamPriorityRange(&lowest, &highest);
  cudaStream_t aside[2];
  cudaEvent_t event;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  cudaEventRecord(event, stream);
  const int begin[3] = {0, N / 2, N};
  for (int k = 0; k < 2; ++k) {
    cudaStreamCreateWithPriority(&aside[k], cudaStreamNonBlocking, k == 0 ? lowest : highest);
    cudaStreamWaitEvent(aside[k], event);
  }
  for (int k = 0; k < 2; ++k) {
    const int count = begin[k + 1] - begin[k];
    if (count > 0) Scale<<<(count + 255) / 256, 256, 0, aside[k]>>>(x + begin[k], y + begin[k], count);
    cudaEventRecord(event, aside[k]);
    cudaStreamWaitEvent(stream, event);
    cudaStreamDestroy(aside[k]);
  }
  cudaEventDestroy(event);
}
