// T2: returns at once, a thread does the work.
// expect: caught
#include <atomic>
#include <pthread.h>
#include "honest.h"
namespace {
std::atomic<int> wanted{0};
const float* in;
float* out;
int size;
void* Work(void*) {
  for (int done = 0;;) {
    while (wanted.load() == done) sched_yield();
    done = wanted.load();
    Honest(in, out, 0, size);
  }
}
}  // namespace
extern "C" void solve(const float* x, float* y, int N) {
  static pthread_t thread;
  in = x, out = y, size = N;
  if (wanted.fetch_add(1) == 0) pthread_create(&thread, nullptr, Work, nullptr);
}
