// One block per row: maximum and sum in one pass (online softmax), combined
// over the block by shuffles and shared memory.
#include <cfloat>

namespace {

constexpr int kThreads = 256;

struct Part {
  float largest, sum;
};

__device__ Part Join(Part a, Part b) {
  const float largest = fmaxf(a.largest, b.largest);
  return {largest, a.sum * __expf(a.largest - largest) + b.sum * __expf(b.largest - largest)};
}

__device__ Part JoinWarp(Part part) {
  for (int step = 16; step > 0; step /= 2) {
    const Part other = {__shfl_xor_sync(~0u, part.largest, step),
                        __shfl_xor_sync(~0u, part.sum, step)};
    part = Join(part, other);
  }
  return part;
}

__global__ void Softmax(const float* x, float* y, int n) {
  __shared__ Part warps[kThreads / 32];
  const float* in = x + static_cast<long>(blockIdx.x) * n;
  float* out = y + static_cast<long>(blockIdx.x) * n;
  Part part = {-FLT_MAX, 0};
  for (int i = threadIdx.x; i < n; i += kThreads) part = Join(part, {in[i], 1});
  part = JoinWarp(part);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = part;
  __syncthreads();
  part = warps[0];
  for (int w = 1; w < kThreads / 32; ++w) part = Join(part, warps[w]);
  const float scale = 1 / part.sum;
  for (int i = threadIdx.x; i < n; i += kThreads) out[i] = __expf(in[i] - part.largest) * scale;
}

}  // namespace

extern "C" void solve(const float* x, float* y, int M, int N) { Softmax<<<M, kThreads>>>(x, y, N); }
