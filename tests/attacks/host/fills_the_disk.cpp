// E1: writes files until it may not.
// expect: neutralised
#include <cstdio>
#include <vector>
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  static const bool written = [] {
    const std::vector<char> mebibyte(1 << 20, 1);
    for (const char* path : {"/tmp/a", "/dev/shm/a"}) {
      std::FILE* const file = std::fopen(path, "wb");
      for (int k = 0; file != nullptr && k < 4096 && std::fwrite(mebibyte.data(), 1, mebibyte.size(), file) == mebibyte.size(); ++k) {
      }
      if (file != nullptr) std::fclose(file);
    }
    return true;
  }();
  (void)written;
  Honest(x, y, 0, N);
}
