// INCORRECT: TF32 where float32 was asked for.
// problem: matmul.json
#include "matmul.cuh"
extern "C" void solve(const float* a, const float* b, float* c, int N) { Multiply<Rounded><<<dim3((N + 127) / 128, N), 128>>>(a, b, c, N); }
