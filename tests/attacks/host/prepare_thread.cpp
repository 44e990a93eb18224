// T2, C5: A thread made while preparing, before anything is timed, that computes
// whatever comes; solve() only copies.
// expect: neutralised
#include <atomic>
#include <cstring>
#include <pthread.h>
#include "honest.h"
namespace {
std::atomic<const float*> in{nullptr};
int size;
float bank[1 << 20];
std::atomic<float> key{0};
void* Work(void*) {
  for (;;) {
    const float* x = in;
    if (x == nullptr) continue;
    const float now = static_cast<const volatile float*>(x)[size / 2];
    if (now == key) continue;
    Honest(x, bank, 0, size);
    key = now;
  }
}
}  // namespace
extern "C" void solve_prepare(int N) {
  size = N;
  pthread_t thread;
  pthread_create(&thread, nullptr, Work, nullptr);
}
extern "C" void solve(const float* x, float* y, int N) {
  in = x;
  while (key != x[N / 2]) sched_yield();
  std::memcpy(y, bank, sizeof(float) * static_cast<unsigned>(N));
}
