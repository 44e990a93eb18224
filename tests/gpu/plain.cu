// What a script does: loads a shared object and times solve(x, y, N) in its own
// process.
//
//   plain SOLUTION.so N INPUT_BYTES OUTPUT_BYTES f|h|i [--clean] [--cold-code] [LENGTH CYCLES]
//
// Fills 256 MiB before each of 100 calls between two events; with --clean also
// reads 256 MiB that nobody wrote, so that nothing dirty is left in the L2; with
// --cold-code a long kernel takes the place of the solution's code in the caches
// of the multiprocessors, as it is after the GPU has changed hands. f, h, i: the
// input is floats, bfloat16, integers. Prints the median in microseconds.
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

void Must(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "plain: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

__device__ unsigned Hash(unsigned long long i) {
  i = (i ^ (i >> 33)) * 0xff51afd7ed558ccdULL;
  return static_cast<unsigned>((i ^ (i >> 33)) * 0xc4ceb9fe1a85ec53ULL >> 32);
}

// Sums of four uniform numbers, variance 1.
__device__ float Normal(unsigned long long i) {
  float sum = 0;
  for (int k = 0; k < 4; ++k) sum += Hash(4 * i + k) * 0x1p-32f;
  return (sum - 2) * 1.7320508f;
}

__global__ void Fill(void* to, size_t count, char type) {
  for (size_t i = blockIdx.x * 256ULL + threadIdx.x; i < count; i += gridDim.x * 256ULL) {
    if (type == 'i') static_cast<int*>(to)[i] = static_cast<int>(Hash(i) & 255);
    if (type == 'f') static_cast<float*>(to)[i] = Normal(i);
    if (type == 'h') static_cast<__nv_bfloat16*>(to)[i] = __float2bfloat16(Normal(i));
  }
}

__global__ void Read(const uint4* from, size_t count, unsigned* sink) {
  unsigned sum = 0;
  for (size_t i = blockIdx.x * 256ULL + threadIdx.x; i < count; i += gridDim.x * 256ULL) sum += from[i].x ^ from[i].w;
  if (sum == 0x12345678) *sink = sum;
}

// 256 KiB of instructions, once through, on every multiprocessor.
__global__ void LongCode(float* sink) {
  float x = threadIdx.x;
#pragma unroll
  for (int i = 0; i < 16384; ++i) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x));
  if (x == 0.12345f) *sink = x;
}

constexpr size_t kFlush = 256 << 20;
constexpr int kWarmup = 10, kTrials = 100;

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) return 2;
  const int n = std::atoi(argv[2]);
  const size_t input = std::strtoull(argv[3], nullptr, 10), output = std::strtoull(argv[4], nullptr, 10);
  const char type = argv[5][0];
  const bool clean = argc > 6 && std::strcmp(argv[6], "--clean") == 0;
  const bool cold_code = argc > 6 + clean && std::strcmp(argv[6 + clean], "--cold-code") == 0;
  const char* const* more = argv + 6 + clean + cold_code;
  void* library = dlopen(argv[1], RTLD_NOW);
  if (library == nullptr) return std::fprintf(stderr, "plain: %s\n", dlerror()), 1;
  using Solve = void (*)(const void*, void*, int, int, int);
  const auto solve = reinterpret_cast<Solve>(dlsym(library, "solve"));
  const int length = *more ? std::atoi(more[0]) : 0, cycles = *more && more[1] ? std::atoi(more[1]) : 0;
  void *x, *y, *dirty, *other;
  Must(cudaMalloc(&x, input));
  Must(cudaMalloc(&y, output));
  Must(cudaMalloc(&dirty, kFlush));
  Must(cudaMalloc(&other, kFlush));
  Must(cudaMemset(other, 0, kFlush));
  Fill<<<1024, 256>>>(x, input / (type == 'h' ? 2 : 4), type);
  cudaEvent_t begin, end;
  Must(cudaEventCreate(&begin));
  Must(cudaEventCreate(&end));
  std::vector<float> us;
  for (int i = 0; i < kWarmup + kTrials; ++i) {
    Must(cudaMemsetAsync(dirty, i, kFlush));
    if (clean) Read<<<1056, 256>>>(static_cast<uint4*>(other), kFlush / 16, static_cast<unsigned*>(y));
    if (cold_code) LongCode<<<264, 32>>>(static_cast<float*>(y));
    Must(cudaEventRecord(begin));
    solve(x, y, n, length, cycles);
    Must(cudaEventRecord(end));
    Must(cudaDeviceSynchronize());
    float ms = 0;
    Must(cudaEventElapsedTime(&ms, begin, end));
    if (i >= kWarmup) us.push_back(ms * 1000);
  }
  std::sort(us.begin(), us.end());
  std::printf("%.4f\n", (us[kTrials / 2] + us[kTrials / 2 - 1]) / 2);
}
