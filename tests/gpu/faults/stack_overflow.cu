// verdict: RUNTIME_ERROR CUDA_ERROR
__device__ __noinline__ float Deep(const volatile float* x, int n) {
  volatile float keep[256];
  for (int i = 0; i < 256; ++i) keep[i] = x[i % 32];
  return n == 0 ? keep[n] : Deep(x, n - 1) + keep[n % 256];
}
__global__ void K(const float* x, float* y, int N) { y[0] = Deep(x, N); }
extern "C" void solve(const float* x, float* y, int N) { K<<<1, 1>>>(x, y, N); }
