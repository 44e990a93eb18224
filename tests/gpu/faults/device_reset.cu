// verdict: RUNTIME_ERROR CUDA_ERROR
extern "C" void solve(const float* x, float* y, int N) { cudaDeviceReset(); }
