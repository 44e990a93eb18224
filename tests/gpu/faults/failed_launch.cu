// verdict: INCORRECT UNWRITTEN_OUTPUT
// A launch that fails (too many threads) and that solve does not look at.
__global__ void K(const float* x, float* y, int N) { y[0] = x[0]; }
extern "C" void solve(const float* x, float* y, int N) { K<<<1, 4096>>>(x, y, N); }
