// ref: matmul
// dims: N=512
// flags: -lcublas
// cuBLAS in strict float32; row-major C = A B is column-major C' = B' A'.
#include <cublas_v2.h>
extern "C" void solve(const float* a, const float* b, float* c, int N, cudaStream_t stream) {
  static cublasHandle_t handle = nullptr;
  if (handle == nullptr) {
    cublasCreate(&handle);
    cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH);
  }
  const float one = 1.0f, zero = 0.0f;
  cublasSetStream(handle, stream);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, b, N, a, N, &zero, c, N);
}
