// ref: scale
// dims: N=4194304
// Asks the runtime about device and pointers, and takes as wide a kernel as their alignment allows.
#include <cstdint>
template <typename T>
__global__ void Scale(const T* x, T* y, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  T value = x[i];
  float* const parts = reinterpret_cast<float*>(&value);
  for (unsigned k = 0; k < sizeof(T) / sizeof(float); ++k) parts[k] = 2.0f * parts[k] + 1.0f;
  y[i] = value;
}
extern "C" void solve(const float* x, float* y, int N) {
  cudaPointerAttributes about;
  int current = 0;
  size_t free_bytes = 0, all_bytes = 0;
  cudaGetDevice(&current);
  cudaMemGetInfo(&free_bytes, &all_bytes);
  if (cudaPointerGetAttributes(&about, x) != cudaSuccess) cudaGetLastError();
  const uintptr_t both = reinterpret_cast<uintptr_t>(x) | reinterpret_cast<uintptr_t>(y);
  if (both % 16 == 0 && N % 4 == 0) {
    Scale<<<(N / 4 + 255) / 256, 256>>>(reinterpret_cast<const float4*>(x), reinterpret_cast<float4*>(y), N / 4);
  } else {
    Scale<<<(N + 255) / 256, 256>>>(x, y, N);
  }
}
