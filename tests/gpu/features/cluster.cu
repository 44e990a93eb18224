// CORRECT: clusters of two blocks, each of which writes what the other has read.
#include <cooperative_groups.h>

__global__ void __cluster_dims__(2, 1, 1) Apply(const float* x, float* y, int N) {
  __shared__ float mine[256];
  auto cluster = cooperative_groups::this_cluster();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  mine[threadIdx.x] = i < N ? x[i] : 0;
  cluster.sync();
  const float* theirs = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1);
  const int j = (blockIdx.x ^ 1) * blockDim.x + threadIdx.x;
  if (j < N) y[j] = theirs[threadIdx.x] * 2.0f + 1.0f;
  cluster.sync();
}
extern "C" void solve(const float* x, float* y, int N) { Apply<<<(N + 511) / 512 * 2, 256>>>(x, y, N); }
