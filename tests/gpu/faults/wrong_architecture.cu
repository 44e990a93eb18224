// verdict: BUILD_FAILED COMPILE_ERROR
__global__ void K(float* y) { asm volatile("tcgen05.fence::before_thread_sync;"); y[0] = 1; }
extern "C" void solve(const float* x, float* y, int N) { K<<<1, 1>>>(y); }
