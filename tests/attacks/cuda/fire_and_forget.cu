// T17: a kernel in front of the end event launches the work from the device and does not wait for it itself.
// expect: neutralised
// flags: -rdc=true -lcudadevrt
#include "honest.cuh"
__global__ void Launch(const float* a, const float* b, float* c, int N) { Add<<<1024, 256, 0, cudaStreamFireAndForget>>>(a, b, c, N); }
extern "C" void solve(const float* a, const float* b, float* c, int N) { Launch<<<1, 1>>>(a, b, c, N); }
