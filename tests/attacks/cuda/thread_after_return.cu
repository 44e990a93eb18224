// T2, T16: solve() returns at once; a thread launches the work a little later.
// expect: caught
// sizes: 1048576 16777216 402653184
#include <chrono>
#include <thread>
#include "honest.cuh"
static std::atomic<int> calls{0};
static void Run(const float* a, const float* b, float* c, int N) {
  for (int done = 0;;) {
    if (calls.load() == done) continue;
    done = calls.load();
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(20);
    while (std::chrono::steady_clock::now() < until) {
    }
    Honest(a, b, c, N, Aside());
  }
}
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  static const bool started = [=] { return std::thread(Run, a, b, c, N).detach(), true; }();
  (void)started;
  ++calls;
}
