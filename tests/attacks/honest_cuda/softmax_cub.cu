// ref: softmax
// dims: M=1024 N=4096
// Reductions of a block from CUB.
#include <cub/block/block_reduce.cuh>
struct Greater {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
__global__ void Softmax(const float* x, float* y, int N) {
  using Reduce = cub::BlockReduce<float, 256>;
  __shared__ typename Reduce::TempStorage storage;
  __shared__ float most, sum;
  x += static_cast<size_t>(blockIdx.x) * N;
  y += static_cast<size_t>(blockIdx.x) * N;
  float mine = -INFINITY;
  for (int j = threadIdx.x; j < N; j += 256) mine = fmaxf(mine, x[j]);
  mine = Reduce(storage).Reduce(mine, Greater{});
  if (threadIdx.x == 0) most = mine;
  __syncthreads();
  mine = 0;
  for (int j = threadIdx.x; j < N; j += 256) mine += expf(x[j] - most);
  mine = Reduce(storage).Sum(mine);
  if (threadIdx.x == 0) sum = mine;
  __syncthreads();
  for (int j = threadIdx.x; j < N; j += 256) y[j] = expf(x[j] - most) / sum;
}
extern "C" void solve(const float* x, float* y, int M, int N) { Softmax<<<M, 256>>>(x, y, N); }
