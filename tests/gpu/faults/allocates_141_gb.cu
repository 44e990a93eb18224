// verdict: INCORRECT UNWRITTEN_OUTPUT
// The allocation fails, which solve does not look at; the kernel then has nowhere to write to.
__global__ void K(const float* x, float* y, int N) { for (int i = threadIdx.x; i < N; i += 32) y[i] = x[i]; }
extern "C" void solve(const float* x, float* y, int N) {
  void* memory = nullptr;
  if (cudaMalloc(&memory, 141ULL << 30) != cudaSuccess) return;
  K<<<1, 32>>>(x, y, N);
}
