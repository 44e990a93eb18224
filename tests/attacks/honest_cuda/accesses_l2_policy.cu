// ref: table
// dims: M=1024 N=4096
// Asks the L2 to prefer the weights while the kernel runs, and takes that back.
__global__ void Apply(const float* w, const float* x, float* y, int N) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const size_t i = static_cast<size_t>(blockIdx.y) * N + j;
  if (j < N) y[i] = x[i] * expf(w[j]);
}
extern "C" void solve(const float* w, const float* x, float* y, int M, int N, cudaStream_t stream) {
  static bool asked = false;
  if (!asked) cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 20);
  asked = true;
  cudaStreamAttrValue window{};
  window.accessPolicyWindow.base_ptr = const_cast<float*>(w);
  window.accessPolicyWindow.num_bytes = N * sizeof(float);
  window.accessPolicyWindow.hitRatio = 1.0f;
  window.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  window.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &window);
  Apply<<<dim3((N + 255) / 256, M), 256, 0, stream>>>(w, x, y, N);
  window.accessPolicyWindow.num_bytes = 0;
  cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &window);
}
