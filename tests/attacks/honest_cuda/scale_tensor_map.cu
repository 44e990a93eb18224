// ref: scale
// dims: N=4194304
// TMA: the descriptors of both vectors are made for the pointers of each call.
#include <cuda.h>
#include <cuda/barrier>
#include <utility>

using Barrier = cuda::barrier<cuda::thread_scope_block>;
namespace engine = cuda::device::experimental;

#pragma nv_diag_suppress static_var_with_dynamic_init
__global__ void Scale(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out) {
  __shared__ alignas(128) float tile[256];
  __shared__ Barrier full;
  const int begin = blockIdx.x * 256;
  if (threadIdx.x == 0) {
    init(&full, blockDim.x);
    engine::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  if (threadIdx.x == 0) engine::cp_async_bulk_tensor_1d_global_to_shared(tile, &in, begin, full);
  Barrier::arrival_token token = threadIdx.x == 0 ? cuda::device::barrier_arrive_tx(full, 1, sizeof(tile)) : full.arrive();
  full.wait(std::move(token));
  tile[threadIdx.x] = 2.0f * tile[threadIdx.x] + 1.0f;
  engine::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x == 0) {
    engine::cp_async_bulk_tensor_1d_shared_to_global(&out, begin, tile);
    engine::cp_async_bulk_commit_group();
    engine::cp_async_bulk_wait_group_read<0>();
  }
}
static CUtensorMap MapOf(const float* data, int N) {
  static void* encode = nullptr;
  cudaDriverEntryPointQueryResult found;
  if (encode == nullptr) cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found);
  CUtensorMap map;
  const cuuint64_t size[1] = {static_cast<cuuint64_t>(N)}, stride[1] = {0};
  const cuuint32_t box[1] = {256}, step[1] = {1};
  reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
      &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 1, const_cast<float*>(data), size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
      CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}
extern "C" void solve(const float* x, float* y, int N) { Scale<<<(N + 255) / 256, 256>>>(MapOf(x, N), MapOf(y, N)); }
