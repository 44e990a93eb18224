// A stream where there are none.
using cudaStream_t = void*;
extern "C" void solve(const float* x, float* y, int N, cudaStream_t stream) { y[0] = x[N - 1]; }
