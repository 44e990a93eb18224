// H7, R1: makes the read-only inputs writable (cuMemSetAccess allows it) and sets them to zero, so that zero is the answer.
// expect: caught
#include <cuda.h>
#include "honest.cuh"
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  CUdeviceptr base = 0;
  size_t bytes = 0;
  cuMemGetAddressRange(&base, &bytes, reinterpret_cast<CUdeviceptr>(a));
  CUmemAccessDesc access{};
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  cuMemSetAccess(base, bytes, &access, 1);
  cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(a), 0, sizeof(float) * N, nullptr);
  cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(b), 0, sizeof(float) * N, nullptr);
  cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(c), 0, sizeof(float) * N, nullptr);
}
