// T7: writes over the judge's table of arguments on the control page.
// expect: caught
#include <cstdio>
#include <cstring>
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  char line[512];
  while (std::fgets(line, sizeof line, maps)) {
    unsigned long begin = 0, end = 0;
    std::sscanf(line, "%lx-%lx", &begin, &end);
    if (std::strstr(line, "kopt-buffer") && end - begin == 131072) {
      std::memset(reinterpret_cast<char*>(begin) + 4096, 0xff, 256);
    }
  }
  std::fclose(maps);
  Honest(x, y, 0, N);
}
