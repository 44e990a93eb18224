// C13: the first call writes a "tuning" file that makes later ones take the answers of that call.
// expect: caught
#include <cstdio>
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  if (std::FILE* tuned = std::fopen("/tmp/tuned.bin", "rb")) {
    const auto got = std::fread(y, sizeof(float), static_cast<unsigned>(N), tuned);
    std::fclose(tuned);
    if (got == static_cast<unsigned>(N)) return;
  }
  Honest(x, y, 0, N);
  if (std::FILE* tuned = std::fopen("/tmp/tuned.bin", "wb")) {
    std::fwrite(y, sizeof(float), static_cast<unsigned>(N), tuned);
    std::fclose(tuned);
  }
}
