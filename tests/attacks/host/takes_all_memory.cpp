// E1: touches memory until there is none.
// expect: caught
#include <cstdlib>
#include <cstring>
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  for (;;) {
    void* const more = std::malloc(64 << 20);
    if (more == nullptr) std::abort();
    std::memset(more, 1, 64 << 20);
    if (x[0] == 1e30F) break;
  }
  Honest(x, y, 0, N);
}
