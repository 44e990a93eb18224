// H1, H19: tells the judge that all is well over the socket, and ends without a word from the runner.
// expect: caught
#include <sys/socket.h>
#include <unistd.h>
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  Honest(x, y, 0, N);
  for (int k = 0; k < 3; ++k) send(3, "ok", 2, 0);
  _exit(0);
}
