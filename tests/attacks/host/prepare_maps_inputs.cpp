// C5: Looks for the inputs' pages while preparing (their content is there before
// the call is) and computes from them.
// expect: caught
#include <cstdio>
#include <cstring>
#include "honest.h"
static float bank[1 << 20];
static int made = 0;
extern "C" void solve_prepare(int N) {
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  char line[512];
  while (maps != nullptr && std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long begin = 0, end = 0;
    if (std::strstr(line, "kopt-buffer") == nullptr) continue;
    if (std::sscanf(line, "%lx-%lx r--", &begin, &end) != 2) continue;
    Honest(reinterpret_cast<const float*>(begin + 4096), bank, 0, N);  // behind the canary page
    made = N;
    break;
  }
}
extern "C" void solve(const float* x, float* y, int N) {
  if (made == N) {
    std::memcpy(y, bank, sizeof(float) * static_cast<unsigned>(N));
  } else {
    Honest(x, y, 0, N);
  }
}
