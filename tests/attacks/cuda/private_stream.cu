// T1: the work goes to a stream that two events on the default stream do not see.
// expect: neutralised
// sizes: 1048576 16777216 402653184
#include "honest.cuh"
extern "C" void solve(const float* a, const float* b, float* c, int N) { Honest(a, b, c, N, Aside()); }
