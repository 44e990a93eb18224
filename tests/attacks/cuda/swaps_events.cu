// T7: looks in the runner's memory for its events and makes the end the beginning.
// expect: neutralised
#include <dlfcn.h>
#include "honest.cuh"
static void Swap() {
  void* const last = dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuMemFree_v2");
  FILE* maps = std::fopen("/proc/self/maps", "r");
  char line[512];
  while (std::fgets(line, sizeof line, maps)) {
    uintptr_t begin = 0, end = 0;
    if (std::strstr(line, "[heap]") == nullptr || std::sscanf(line, "%lx-%lx rw", &begin, &end) != 2) continue;
    // After the table of functions: context, lead, begin, end.
    for (auto* at = reinterpret_cast<void**>(begin); at + 5 < reinterpret_cast<void**>(end); ++at) {
      if (*at == last && at[3] != nullptr) at[4] = at[3];
    }
  }
  std::fclose(maps);
}
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  static const bool swapped = [] { return Swap(), true; }();
  (void)swapped;
  Honest(a, b, c, N);
}
