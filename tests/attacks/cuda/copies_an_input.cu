// R3: gives an input back.
// expect: caught
#include "honest.cuh"
extern "C" void solve(const float* a, const float* b, float* c, int N) { cudaMemcpyAsync(c, a, sizeof(float) * N, cudaMemcpyDeviceToDevice); }
