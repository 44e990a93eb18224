// One block that waits, by the device's clock of nanoseconds, or where CYCLES is given by its clock of cycles.
__global__ void Spin(const float* x, float* y, int N, long long length, int cycles) {
  const float value = threadIdx.x < N ? x[threadIdx.x] : 0;  // on its way while the time passes
  if (cycles == 0) {
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
    do { asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)); } while (now - begin < length);
  } else {
    const long long begin = clock64();
    while (clock64() - begin < length) {}
  }
  if (threadIdx.x < N) y[threadIdx.x] = value;
}
extern "C" void solve(const float* x, float* y, int N, int length, int cycles) { Spin<<<1, 32>>>(x, y, N, length, cycles); }
