// R5, R6: the last hundredth is left out.
// expect: caught
#include "honest.cuh"
extern "C" void solve(const float* a, const float* b, float* c, int N) { Honest(a, b, c, N - N / 100); }
