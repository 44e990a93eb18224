// ref: scale
// dims: N=4194304
// The two numbers go to constant memory in each call.
__constant__ float numbers[2];
__global__ void Scale(const float* x, float* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = numbers[0] * x[i] + numbers[1];
}
extern "C" void solve(const float* x, float* y, int N, cudaStream_t stream) {
  static const float values[2] = {2.0f, 1.0f};
  cudaMemcpyToSymbolAsync(numbers, values, sizeof(values), 0, cudaMemcpyHostToDevice, stream);
  Scale<<<(N + 255) / 256, 256, 0, stream>>>(x, y, N);
}
