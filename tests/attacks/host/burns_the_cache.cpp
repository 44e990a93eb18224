// T21, E4: threads that fill the caches and the memory bus when somebody else is called.
// expect: neutralised
#include <pthread.h>
#include <vector>
#include "honest.h"
static void* Burn(void*) {
  std::vector<char> memory(64 << 20);
  for (unsigned k = 0;; ++k) {
    for (size_t i = 0; i < memory.size(); i += 64) memory[i] = static_cast<char>(k);
  }
}
extern "C" void solve(const float* x, float* y, int N) {
  static const bool started = [] {
    for (int k = 0; k < 4; ++k) {
      pthread_t thread;
      pthread_create(&thread, nullptr, Burn, nullptr);
    }
    return true;
  }();
  (void)started;
  Honest(x, y, 0, N);
}
