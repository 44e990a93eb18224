#include "shared.h"

#include <immintrin.h>
#include <time.h>

namespace kernelopt::feasibility {
namespace {

int64_t Rounded(int64_t bytes) { return (bytes + (2 << 20) - 1) / (2 << 20) * (2 << 20); }

CUdeviceptr Map(CUmemGenericAllocationHandle handle, int64_t bytes, bool writable) {
  CUdeviceptr at = 0;
  CHECK_CUDA(cuMemAddressReserve(&at, static_cast<size_t>(bytes), 0, 0, 0));
  CHECK_CUDA(cuMemMap(at, static_cast<size_t>(bytes), 0, handle, 0));
  CUmemAccessDesc access{};
  access.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  access.flags = writable ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_READ;
  CHECK_CUDA(cuMemSetAccess(at, static_cast<size_t>(bytes), &access, 1));
  return at;
}

}  // namespace

CUmemAllocationProp SharedProperties(int device) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {device}};
  return properties;
}

Shared MakeShared(int64_t bytes) {
  Shared shared;
  shared.bytes = Rounded(bytes);
  const CUmemAllocationProp properties = SharedProperties(0);
  CUmemGenericAllocationHandle handle{};
  CHECK_CUDA(cuMemCreate(&handle, static_cast<size_t>(shared.bytes), &properties, 0));
  CHECK_CUDA(cuMemExportToShareableHandle(&shared.fd, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  shared.at = Map(handle, shared.bytes, true);
  return shared;
}

Shared MapShared(int fd, int64_t bytes, bool writable) {
  Shared shared;
  shared.bytes = Rounded(bytes);
  CUmemGenericAllocationHandle handle{};
  void* as_pointer = reinterpret_cast<void*>(static_cast<intptr_t>(fd));
  CHECK_CUDA(cuMemImportFromShareableHandle(&handle, as_pointer, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  shared.at = Map(handle, shared.bytes, writable);
  return shared;
}

double NowUs() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) * 1e-3;
}

void Pause() { _mm_pause(); }

}  // namespace kernelopt::feasibility
