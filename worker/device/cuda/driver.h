// The CUDA driver, opened when it is first asked for: a worker without one
// builds, starts and serves the host device.
//
// Calls go through Driver::Get(): cu->cuMemAlloc(...). Thread-safe once opened.
#pragma once

#include <cuda.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace kernelopt::worker::cuda {

// To use one more function of the driver: a line here.
#define KOPT_CUDA_FUNCTIONS(X)                                                                       \
  X(cuInit) X(cuDriverGetVersion) X(cuGetErrorName) X(cuGetErrorString)                              \
  X(cuDeviceGetCount) X(cuDeviceGet) X(cuDeviceGetName) X(cuDeviceGetUuid) X(cuDeviceGetAttribute)   \
  X(cuDeviceGetPCIBusId) X(cuDevicePrimaryCtxRetain) X(cuDevicePrimaryCtxRelease)                    \
  X(cuCtxSetCurrent) X(cuCtxSynchronize) X(cuMemGetInfo)                                             \
  X(cuMemCreate) X(cuMemRelease) X(cuMemExportToShareableHandle) X(cuMemGetAllocationGranularity)    \
  X(cuMemAddressReserve) X(cuMemAddressFree) X(cuMemMap) X(cuMemUnmap) X(cuMemSetAccess)             \
  X(cuMemAlloc) X(cuMemFree) X(cuMemHostAlloc) X(cuMemFreeHost) X(cuMemHostGetDevicePointer)         \
  X(cuMemcpyDtoH) X(cuMemcpyHtoD) X(cuMemcpyDtoD) X(cuMemsetD8)                                      \
  X(cuModuleLoadData) X(cuModuleGetFunction) X(cuLaunchKernel)

struct Driver {
#define KOPT_CUDA_MEMBER(name) decltype(&::name) name = nullptr;
  KOPT_CUDA_FUNCTIONS(KOPT_CUDA_MEMBER)
#undef KOPT_CUDA_MEMBER

  // Opens libcuda.so.1 and calls cuInit, once. UNAVAILABLE: why there is none.
  static absl::StatusOr<const Driver*> Get();

  // OK, or what the driver calls the error. RESOURCE_EXHAUSTED where memory is
  // short, else INTERNAL.
  absl::Status Check(CUresult result, const std::string& what) const;
  // For what cannot fail while the device works: otherwise the worker ends here
  // and another one takes its place, whose probe then says what is wrong.
  void Must(CUresult result, const char* what) const;
};

}  // namespace kernelopt::worker::cuda
