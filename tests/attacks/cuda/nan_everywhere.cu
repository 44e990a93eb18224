// N3: NaN, in the hope that it compares with anything.
// expect: caught
#include "honest.cuh"
extern "C" void solve(const float* a, const float* b, float* c, int N) { cudaMemsetAsync(c, 0xff, sizeof(float) * N); }
