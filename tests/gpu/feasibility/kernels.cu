#include "kernels.h"

namespace kernelopt::feasibility {
namespace {

__device__ uint64_t GlobalTimer() {
  uint64_t t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

__device__ uint32_t Mix(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return static_cast<uint32_t>(x >> 32);
}

__global__ void FillKernel(float4* to, int64_t count, uint64_t nonce) {
  for (int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; i < count;
       i += int64_t{gridDim.x} * blockDim.x) {
    const uint64_t k = nonce + 4 * static_cast<uint64_t>(i);
    constexpr float kScale = 1.0f / 4294967296.0f;
    to[i] = make_float4(Mix(k) * kScale, Mix(k + 1) * kScale, Mix(k + 2) * kScale, Mix(k + 3) * kScale);
  }
}

__global__ void ReadKernel(const float4* from, int64_t count, float* sink) {
  float sum = 0;
  for (int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; i < count;
       i += int64_t{gridDim.x} * blockDim.x) {
    const float4 v = from[i];
    sum += v.x + v.y + v.z + v.w;
  }
  if (sum == -1.0f) *sink = sum;  // never: keeps the loads
}

__global__ void SpinNsKernel(int64_t ns) {
  const uint64_t begin = GlobalTimer();
  while (GlobalTimer() - begin < static_cast<uint64_t>(ns)) {
  }
}

__global__ void SpinCyclesKernel(int64_t cycles) {
  const int64_t begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

__global__ void PersistKernel(const volatile int* stop) {
  while (*stop == 0) {
  }
}

__global__ void NothingKernel() {}
__global__ void PokeKernel(float* at) { *at = 1.0f; }

__global__ void StampKernel(Stamp* out, int64_t ns) {
  uint32_t sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  // On the edge of a timer step, so that its coarseness does not enter.
  for (int i = 0; i < 2; ++i) {
    const uint64_t until = i == 0 ? 0 : out[0].globaltimer_ns + static_cast<uint64_t>(ns);
    uint64_t now = GlobalTimer();
    while (now < until) now = GlobalTimer();
    const uint64_t before = now;
    while (now == before) now = GlobalTimer();
    out[i] = {now, static_cast<uint64_t>(clock64()), sm, 0};
  }
}

__global__ void StepsKernel(uint64_t* out, int count) {
  for (int i = 0; i < count; ++i) out[i] = GlobalTimer();
}

constexpr int kThreads = 512;
int Blocks() {
  static const int blocks = [] {
    int device = 0, sms = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    return sms * 4;
  }();
  return blocks;
}

}  // namespace

void Fill(float* to, int64_t count, uint64_t nonce, cudaStream_t stream) {
  FillKernel<<<Blocks(), kThreads, 0, stream>>>(reinterpret_cast<float4*>(to), count / 4, nonce);
}
void Read(const float* from, int64_t count, float* sink, cudaStream_t stream) {
  ReadKernel<<<Blocks(), kThreads, 0, stream>>>(reinterpret_cast<const float4*>(from), count / 4, sink);
}
void SpinNs(int blocks, int64_t ns, cudaStream_t stream) { SpinNsKernel<<<blocks, 32, 0, stream>>>(ns); }
void SpinCycles(int blocks, int64_t cycles, cudaStream_t stream) {
  SpinCyclesKernel<<<blocks, 32, 0, stream>>>(cycles);
}
void Persist(int blocks, const volatile int* stop, cudaStream_t stream) {
  PersistKernel<<<blocks, 32, 0, stream>>>(stop);
}
void Nothing(cudaStream_t stream) { NothingKernel<<<1, 32, 0, stream>>>(); }
void Poke(float* at, cudaStream_t stream) { PokeKernel<<<1, 1, 0, stream>>>(at); }
void TakeStamps(Stamp* out, int64_t ns, cudaStream_t stream) { StampKernel<<<1, 1, 0, stream>>>(out, ns); }
void TimerSteps(uint64_t* out, int count, cudaStream_t stream) { StepsKernel<<<1, 1, 0, stream>>>(out, count); }

}  // namespace kernelopt::feasibility
