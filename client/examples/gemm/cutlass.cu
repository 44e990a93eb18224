// CUTLASS's own float32 GEMM for CUDA cores (tensor cores would round to TF32);
// --implementation=cutlass.
#include <cutlass/gemm/device/gemm.h>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K, cudaStream_t stream) {
  using Row = cutlass::layout::RowMajor;
  using Gemm = cutlass::gemm::device::Gemm<float, Row, float, Row, float, Row, float, cutlass::arch::OpClassSimt, cutlass::arch::Sm80>;
  Gemm gemm;
  gemm({{M, N, K}, {A, K}, {B, N}, {C, N}, {C, N}, {1.0F, 0.0F}}, nullptr, stream);
}
