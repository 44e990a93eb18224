// ref: scale
// dims: N=4194304
// Measures its own blocks by both clocks, and keeps the longest times for whoever asks.
__device__ unsigned long long longest_cycles, longest_ns;
__global__ void Scale(const float* x, float* y, int N) {
  unsigned long long begin, end;
  const long long cycles = clock64();
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) y[i] = 2.0f * x[i] + 1.0f;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(end));
  if (threadIdx.x != 0) return;
  atomicMax(&longest_cycles, static_cast<unsigned long long>(clock64() - cycles));
  atomicMax(&longest_ns, end - begin);
}
extern "C" void solve(const float* x, float* y, int N) { Scale<<<528, 256>>>(x, y, N); }
