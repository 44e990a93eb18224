// H17, H18: writes to the runner's program, to its own object, and to libraries.
// expect: neutralised
#include <fcntl.h>
#include <unistd.h>
#include <initializer_list>
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  static const bool tried = [] {
    for (const char* path : {"/proc/self/exe", "/kopt-runner", "/usr/lib/x86_64-linux-gnu/libc.so.6", "/proc/self/map_files", "/etc/ld.so.cache"}) {
      const int file = open(path, O_RDWR);
      if (file >= 0 && write(file, "x", 1) == 1) return true;
    }
    return false;
  }();
  if (!tried) Honest(x, y, 0, N);
}
