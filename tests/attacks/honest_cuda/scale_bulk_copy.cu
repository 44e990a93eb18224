// ref: scale
// dims: N=4194304
// Tiles brought and taken away by the copy engine of the multiprocessor (cp.async.bulk).
#include <cuda/barrier>
#include <utility>

using Barrier = cuda::barrier<cuda::thread_scope_block>;
namespace engine = cuda::device::experimental;
constexpr int kTile = 2048;

#pragma nv_diag_suppress static_var_with_dynamic_init
__global__ void Scale(const float* x, float* y, int N) {
  __shared__ alignas(128) float tile[kTile];
  __shared__ Barrier full;
  const int begin = blockIdx.x * kTile, count = min(kTile, N - begin), whole = count / 4 * 4;
  const bool first = threadIdx.x == 0 && whole > 0;
  if (threadIdx.x == 0) {
    init(&full, blockDim.x);
    engine::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  if (first) engine::cp_async_bulk_global_to_shared(tile, x + begin, whole * sizeof(float), full);
  Barrier::arrival_token token = first ? cuda::device::barrier_arrive_tx(full, 1, whole * sizeof(float)) : full.arrive();
  full.wait(std::move(token));
  for (int k = threadIdx.x; k < whole; k += blockDim.x) tile[k] = 2.0f * tile[k] + 1.0f;
  engine::fence_proxy_async_shared_cta();
  __syncthreads();
  if (first) {
    engine::cp_async_bulk_shared_to_global(y + begin, tile, whole * sizeof(float));
    engine::cp_async_bulk_commit_group();
    engine::cp_async_bulk_wait_group_read<0>();
  }
  for (int k = whole + threadIdx.x; k < count; k += blockDim.x) y[begin + k] = 2.0f * x[begin + k] + 1.0f;
}
extern "C" void solve(const float* x, float* y, int N) { Scale<<<(N + kTile - 1) / kTile, 256>>>(x, y, N); }
