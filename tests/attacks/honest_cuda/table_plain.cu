// ref: table
// dims: M=1024 N=4096
// Computes the exponentials again for every row.
__global__ void Apply(const float* w, const float* x, float* y, int N) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const size_t i = static_cast<size_t>(blockIdx.y) * N + j;
  if (j < N) y[i] = x[i] * expf(w[j]);
}
extern "C" void solve(const float* w, const float* x, float* y, int M, int N) { Apply<<<dim3((N + 255) / 256, M), 256>>>(w, x, y, N); }
