// T17: a timer's signal handler works between the calls.
// expect: neutralised
#include <atomic>
#include <csignal>
#include <cstring>
#include <sys/time.h>
#include "honest.h"
namespace {
const float* in;
int size;
float bank[1 << 20], seen;
std::atomic<bool> fresh{false};
void OnTimer(int) {
  if (in[size / 2] == seen || fresh) return;
  seen = in[size / 2];
  Honest(in, bank, 0, size);
  fresh = true;
}
}  // namespace
extern "C" void solve(const float* x, float* y, int N) {
  if (in == nullptr) {
    in = x, size = N;
    std::signal(SIGALRM, OnTimer);
    const itimerval every{{0, 100}, {0, 100}};
    setitimer(ITIMER_REAL, &every, nullptr);
  }
  if (fresh && seen == x[N / 2]) {
    std::memcpy(y, bank, sizeof(float) * static_cast<unsigned>(N));
  } else {
    Honest(x, y, 0, N);
  }
  fresh = false;
}
