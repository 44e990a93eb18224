// CORRECT: the second kernel is launched before the first has ended (PDL), and waits for its data.
__global__ void Twice(const float* x, float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = x[i] * 2.0f;
  cudaTriggerProgrammaticLaunchCompletion();
}
__global__ void PlusOne(float* y, int N) {
  cudaGridDependencySynchronize();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] += 1.0f;
}
extern "C" void solve(const float* x, float* y, int N, cudaStream_t stream) {
  cudaLaunchAttribute early[1];
  early[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early[0].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = (N + 255) / 256;
  config.blockDim = 256;
  config.stream = stream;
  config.attrs = early;
  config.numAttrs = 1;
  Twice<<<config.gridDim, config.blockDim, 0, stream>>>(x, y, N);
  cudaLaunchKernelEx(&config, PlusOne, y, N);
}
