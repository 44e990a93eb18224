// T9 and T17: a thread that never rests computes as soon as there are new
// inputs, and solve() only copies.
// expect: neutralised
#include <atomic>
#include <cstring>
#include <pthread.h>
#include "honest.h"
namespace {
const float* in;
int size;
float bank[1 << 20], first;
std::atomic<bool> fresh{false};
void* Work(void*) {
  for (;;) {
    const float now = static_cast<const volatile float*>(in)[size / 2];
    if (now == first) continue;
    first = now;
    Honest(in, bank, 0, size);
    fresh = true;
  }
}
}  // namespace
extern "C" void solve(const float* x, float* y, int N) {
  static pthread_t thread;
  if (in == nullptr) {
    in = x, size = N, first = 0;
    pthread_create(&thread, nullptr, Work, nullptr);
  }
  while (!fresh.load()) sched_yield();
  fresh = false;
  std::memcpy(y, bank, sizeof(float) * static_cast<unsigned>(N));
}
