// T2: a thread computes whenever it can, on a stream of its own: also before solve() is called, while the GPU changes hands.
// expect: caught
#include <thread>
#include "honest.cuh"
struct Work {
  const float *a, *b;
  float* c;
  int N;
};
static std::atomic<const Work*> work{nullptr};
static void Run() {
  for (;;) {
    const Work* const w = work.load();
    if (w == nullptr) continue;
    Honest(w->a, w->b, w->c, w->N, Aside());
    cudaStreamSynchronize(Aside());
  }
}
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  static const Work all{a, b, c, N};
  static const bool started = [] { return std::thread(Run).detach(), true; }();
  work = started ? &all : nullptr;
}
