// T7: says done itself, then works.
// expect: caught
#include <cstdio>
#include <cstring>
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  static volatile unsigned* phase = nullptr;
  if (phase == nullptr) {
    std::FILE* maps = std::fopen("/proc/self/maps", "r");
    char line[512];
    while (std::fgets(line, sizeof line, maps)) {
      unsigned long begin = 0, end = 0;
      std::sscanf(line, "%lx-%lx", &begin, &end);
      if (std::strstr(line, "kopt-buffer") && end - begin == 131072) {
        phase = reinterpret_cast<volatile unsigned*>(begin + 64);
      }
    }
    std::fclose(maps);
  }
  *phase = 4;
  Honest(x, y, 0, N);
}
