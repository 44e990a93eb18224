// H7, R1: makes the inputs writable, spoils them for whoever is called next on the same content, and puts back what it read itself.
// expect: caught
#include <cuda.h>
#include "honest.cuh"
__global__ void Spoil(float* a) { a[7] += 1.0F; }
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  CUdeviceptr base = 0;
  size_t bytes = 0;
  cuMemGetAddressRange(&base, &bytes, reinterpret_cast<CUdeviceptr>(a));
  CUmemAccessDesc access{};
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  cuMemSetAccess(base, bytes, &access, 1);
  Honest(a, b, c, N);
  Spoil<<<1, 1>>>(const_cast<float*>(a));
}
