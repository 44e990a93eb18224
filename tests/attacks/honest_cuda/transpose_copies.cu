// ref: transpose
// dims: M=64 N=4096
// No kernel at all: one two-dimensional copy for each row.
extern "C" void solve(const float* x, float* y, int M, int N) {
  for (int i = 0; i < M; ++i) {
    cudaMemcpy2DAsync(y + i, M * sizeof(float), x + static_cast<size_t>(i) * N, sizeof(float), sizeof(float), N, cudaMemcpyDeviceToDevice, nullptr);
  }
}
