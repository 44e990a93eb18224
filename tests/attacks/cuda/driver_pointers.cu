// T6: looks in the runner's memory for the driver's functions that it calls, and puts its own in the place of the one that reads the time.
// expect: neutralised
#include <dlfcn.h>
#include "honest.cuh"
static int Short(float* ms, void*, void*) { return *ms = 0.001F, 0; }
static void Patch() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  void* const real = dlsym(driver, "cuEventElapsedTime");
  void* const newer = dlsym(driver, "cuEventElapsedTime_v2");
  FILE* maps = std::fopen("/proc/self/maps", "r");
  char line[512];
  while (std::fgets(line, sizeof line, maps)) {
    uintptr_t begin = 0, end = 0;
    char access[8] = "";
    if (std::sscanf(line, "%lx-%lx %7s", &begin, &end, access) != 3 || std::strncmp(access, "rw", 2) != 0) continue;
    if (std::strstr(line, "[heap]") == nullptr && std::strstr(line, "kopt-runner") == nullptr) continue;
    for (auto* at = reinterpret_cast<void**>(begin); at < reinterpret_cast<void**>(end); ++at) {
      if (*at == real || *at == newer) *at = reinterpret_cast<void*>(Short);
    }
  }
  std::fclose(maps);
}
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  static const bool patched = [] { return Patch(), true; }();
  (void)patched;
  Honest(a, b, c, N);
}
