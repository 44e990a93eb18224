// verdict: RUNTIME_ERROR CUDA_ERROR
__global__ void K(const float* x, float* y, int N) { y[N + (1LL << 40) + threadIdx.x] = x[0]; }
extern "C" void solve(const float* x, float* y, int N) { K<<<1, 32>>>(x, y, N); }
