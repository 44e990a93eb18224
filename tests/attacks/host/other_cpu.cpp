// T20: moves half of the work to a thread on another CPU.
// expect: neutralised
#include <pthread.h>
#include <sched.h>
#include "honest.h"
namespace {
struct Half { const float* x; float* y; int first, last; };
void* Work(void* at) {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (int cpu = 0; cpu < 64; ++cpu) CPU_SET(cpu, &all);
  sched_setaffinity(0, sizeof all, &all);
  const Half* half = static_cast<Half*>(at);
  Honest(half->x, half->y, half->first, half->last);
  return nullptr;
}
}  // namespace
extern "C" void solve(const float* x, float* y, int N) {
  Half half{x, y, 0, N / 2};
  pthread_t thread;
  pthread_create(&thread, nullptr, Work, &half);
  Honest(x, y, N / 2, N);
  pthread_join(thread, nullptr);
}
