// The honest twin of every attack here: c = a + b, each element once.
#pragma once
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void Add(const float* a, const float* b, float* c, int N) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) c[i] = a[i] + b[i];
}
inline void Honest(const float* a, const float* b, float* c, int N, cudaStream_t stream = nullptr) {
  Add<<<1024, 256, 0, stream>>>(a, b, c, N);
}
// A stream that the default one does not wait for.
inline cudaStream_t Aside() {
  static const cudaStream_t stream = [] {
    cudaStream_t made;
    cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
    return made;
  }();
  return stream;
}
