// T9, T17: a thread that never rests computes as soon as there are new
// inputs, and solve() only copies.
// expect: neutralised
#include <atomic>
#include <cstring>
#include <pthread.h>
#include "honest.h"
namespace {
const float* in;
int size;
float bank[1 << 20];
std::atomic<float> key{0};  // the input that the bank belongs to, by one element
void* Work(void*) {
  for (;;) {
    const float now = static_cast<const volatile float*>(in)[size / 2];
    if (now == key) continue;
    Honest(in, bank, 0, size);
    key = now;
  }
}
}  // namespace
extern "C" void solve(const float* x, float* y, int N) {
  static pthread_t thread;
  if (in == nullptr) {
    in = x, size = N;
    pthread_create(&thread, nullptr, Work, nullptr);
  }
  while (key != x[N / 2]) sched_yield();
  std::memcpy(y, bank, sizeof(float) * static_cast<unsigned>(N));
}
