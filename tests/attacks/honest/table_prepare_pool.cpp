// ref: table
// A pool of threads made while preparing, which waits between the calls.
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <thread>
static std::mutex mutex;
static std::condition_variable wake, ready;
static int calls = 0, done = 0;
static const float *in, *weights;
static float* out;
static int rows, columns;
static void Work(int half) {
  for (int seen = 0;;) {
    std::unique_lock<std::mutex> lock(mutex);
    wake.wait(lock, [&] { return calls > seen; });
    ++seen;
    lock.unlock();
    for (int i = half * rows / 2 * columns; i < (half + 1) * rows / 2 * columns; ++i) {
      out[i] = in[i] * std::exp(weights[i % columns]);
    }
    lock.lock();
    if (++done == 2) ready.notify_one();
  }
}
extern "C" void solve_prepare(const float* w) {
  weights = w;
  std::thread(Work, 0).detach();
  std::thread(Work, 1).detach();
}
extern "C" void solve(const float* w, const float* x, float* y, int M, int N) {
  std::unique_lock<std::mutex> lock(mutex);
  in = x, out = y, rows = M, columns = N, done = 0;
  ++calls;
  wake.notify_all();
  ready.wait(lock, [] { return done == 2; });
}
