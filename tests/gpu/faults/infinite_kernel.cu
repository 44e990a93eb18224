// verdict: KERNEL_TIMEOUT CALL_TIMEOUT
__global__ void K(const float* x, volatile float* y) { while (y[0] != 12345.0f) y[1] = x[0]; }
extern "C" void solve(const float* x, float* y, int N) { K<<<1, 1>>>(x, y); }
