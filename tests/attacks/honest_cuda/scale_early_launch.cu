// ref: scale
// dims: N=4194304
// Programmatic dependent launch: the second kernel starts early, and waits before it reads what the first wrote.
__global__ void Twice(const float* x, float* y, int N) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) y[i] = 2.0f * x[i];
  cudaTriggerProgrammaticLaunchCompletion();
}
__global__ void PlusOne(float* y, float one, int N) {
  const int first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  cudaGridDependencySynchronize();
  for (int i = first; i < N; i += step) y[i] += one;
}
extern "C" void solve(const float* x, float* y, int N) {
  Twice<<<528, 256>>>(x, y, N);
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = 528;
  config.blockDim = 256;
  config.attrs = &early;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, PlusOne, y, 1.0f, N);
}
