// ref: matmul_bf16
// dims: N=512
// Tensor cores for bfloat16, sums in float32. N is a multiple of 32.
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda::wmma;
__global__ void Multiply(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int N) {
  __shared__ alignas(32) float out[4][256];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row = blockIdx.y * 32 + warp / 2 * 16, column = blockIdx.x * 32 + warp % 2 * 16;
  fragment<matrix_a, 16, 16, 16, __nv_bfloat16, row_major> fa;
  fragment<matrix_b, 16, 16, 16, __nv_bfloat16, row_major> fb;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0f);
  for (int k = 0; k < N; k += 16) {
    load_matrix_sync(fa, a + row * N + k, N);
    load_matrix_sync(fb, b + k * N + column, N);
    mma_sync(sum, fa, fb, sum);
  }
  store_matrix_sync(out[warp], sum, 16, mem_row_major);
  __syncwarp();
  for (int t = lane; t < 256; t += 32) c[(row + t / 16) * N + column + t % 16] = __float2bfloat16(out[warp][t]);
}
extern "C" void solve(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int N) {
  Multiply<<<dim3(N / 32, N / 32), 128>>>(a, b, c, N);
}
