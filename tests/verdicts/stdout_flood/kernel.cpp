// A gigabyte of output in the first call: drained, cut off, and no harm done.
#include <unistd.h>
extern "C" void solve(const float* x, float* y, int N) {
  static bool flooded = false;
  static char line[1 << 16];
  for (int i = 0; !flooded && i < 1 << 14; ++i) (void)!write(1, line, sizeof line);
  flooded = true;
  for (int i = 0; i < N; ++i) y[i] = x[i] + x[i];
}
