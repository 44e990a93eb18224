// H11, H8: looks through every mapping of its process for the answer to x[0].
// expect: caught
#include <cmath>
#include <cstdio>
#include <cstring>
extern "C" void solve(const float* x, float* y, int N) {
  const float answer[4] = {std::exp(x[0]), std::exp(x[1]), std::exp(x[2]), std::exp(x[3])};
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  char line[512];
  while (std::fgets(line, sizeof line, maps)) {
    unsigned long begin = 0, end = 0;
    char access[8];
    if (!std::strstr(line, "kopt-buffer")) continue;
    std::sscanf(line, "%lx-%lx %7s", &begin, &end, access);
    for (unsigned long at = begin; at + sizeof(float) * static_cast<unsigned>(N) <= end; at += 4) {
      const auto* found = reinterpret_cast<const float*>(at);
      if (found == y || std::memcmp(found, answer, sizeof answer) != 0) continue;
      std::memcpy(y, found, sizeof(float) * static_cast<unsigned>(N));
      std::fclose(maps);
      return;
    }
  }
  std::fclose(maps);
}
