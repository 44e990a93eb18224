// T17: a kernel on a private stream launches the work from the device, as its tail.
// expect: caught
// flags: -rdc=true -lcudadevrt
#include "honest.cuh"
__global__ void Launch(const float* a, const float* b, float* c, int N) { Add<<<1024, 256, 0, cudaStreamTailLaunch>>>(a, b, c, N); }
extern "C" void solve(const float* a, const float* b, float* c, int N) { Launch<<<1, 1, 0, Aside()>>>(a, b, c, N); }
