// verdict: RUNTIME_ERROR CUDA_ERROR
#include <cassert>
__global__ void K(const float* x, float* y, int N) { assert(N < 0); y[0] = x[0]; }
extern "C" void solve(const float* x, float* y, int N) { K<<<1, 1>>>(x, y, N); }
