// R2: zero everywhere.
// expect: caught
#include "honest.cuh"
extern "C" void solve(const float* a, const float* b, float* c, int N) { cudaMemsetAsync(c, 0, sizeof(float) * N); }
