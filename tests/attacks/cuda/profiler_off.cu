// T18: ends whatever profiler watches this process.
// expect: neutralised
#include <dlfcn.h>
#include "honest.cuh"
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  static const bool ended = [] {
    for (const char* name : {"libcupti.so", "libcupti.so.13", "libcupti.so.12", "/usr/local/cuda/lib64/libcupti.so"}) {
      void* const cupti = dlopen(name, RTLD_NOW);
      if (cupti == nullptr) continue;
      if (const auto finalize = reinterpret_cast<int (*)()>(dlsym(cupti, "cuptiFinalize"))) finalize();
      return true;
    }
    return false;
  }();
  (void)ended;
  Honest(a, b, c, N);
}
