// verdict: RUNTIME_ERROR CUDA_ERROR
__global__ void K(const float* x, float* y) { *reinterpret_cast<double*>(y + 1) = x[0]; }
extern "C" void solve(const float* x, float* y, int N) { K<<<1, 1>>>(x, y); }
