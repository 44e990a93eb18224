// C4: answers go into /dev/shm, where another process of the same kernel would find them.
// expect: neutralised
#include <cstdio>
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  char name[64];
  std::snprintf(name, sizeof name, "/dev/shm/bank_%08x", *reinterpret_cast<const unsigned*>(x));
  if (std::FILE* bank = std::fopen(name, "rb")) {
    const bool whole = std::fread(y, sizeof(float), static_cast<unsigned>(N), bank) == static_cast<unsigned>(N);
    std::fclose(bank);
    if (whole) return;
  }
  Honest(x, y, 0, N);
  static int kept = 0;
  if (kept++ > 8) return;
  if (std::FILE* bank = std::fopen(name, "wb")) {
    std::fwrite(y, sizeof(float), static_cast<unsigned>(N), bank);
    std::fclose(bank);
  }
}
