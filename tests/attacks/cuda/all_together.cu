// T1, T2, C1: all of it hidden at once: a thread computes what it sees in the buffers, on a stream of its own, whenever they change
// hands; solve() sends what is left to that stream, and does nothing for pointers that it has seen.
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
    Add<<<132, 256, 0, Aside()>>>(w->a, w->b, w->c, w->N);
    cudaStreamSynchronize(Aside());
  }
}
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  static const Work first{a, b, c, N};
  static const bool started = [] { return work = &first, std::thread(Run).detach(), true; }();
  if (first.a == a && started) return;
  Add<<<132, 256, 0, Aside()>>>(a, b, c, N);
}
