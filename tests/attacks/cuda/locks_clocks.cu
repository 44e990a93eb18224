// T19: asks the driver for the highest clocks and the highest power limit, for itself.
// expect: neutralised
#include <dlfcn.h>
#include "honest.cuh"
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  static const bool asked = [] {
    void* const nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (nvml == nullptr) return false;
    const auto begin = reinterpret_cast<int (*)()>(dlsym(nvml, "nvmlInit_v2"));
    const auto device = reinterpret_cast<int (*)(unsigned, void**)>(dlsym(nvml, "nvmlDeviceGetHandleByIndex_v2"));
    const auto clocks = reinterpret_cast<int (*)(void*, unsigned, unsigned)>(dlsym(nvml, "nvmlDeviceSetGpuLockedClocks"));
    void* handle = nullptr;
    return begin() == 0 && device(0, &handle) == 0 && clocks(handle, 1980, 1980) == 0;
  }();
  (void)asked;
  Honest(a, b, c, N);
}
