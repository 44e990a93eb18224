// ref: rows
// A pool that sleeps on a condition between calls.
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
namespace {
class Pool {
 public:
  Pool() {
    for (int t = 0; t < 2; ++t) {
      std::thread([this, t] { Serve(t); }).detach();
    }
  }
  void Run(const std::function<void(int)>& work) {
    std::unique_lock<std::mutex> lock(mutex_);
    work_ = work;
    left_ = 2;
    ++round_;
    wake_.notify_all();
    done_.wait(lock, [this] { return left_ == 0; });
  }

 private:
  void Serve(int t) {
    for (int seen = 0;;) {
      std::unique_lock<std::mutex> lock(mutex_);
      wake_.wait(lock, [&] { return round_ != seen; });
      seen = round_;
      lock.unlock();
      work_(t);
      lock.lock();
      if (--left_ == 0) done_.notify_all();
    }
  }
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::function<void(int)> work_;
  int round_ = 0, left_ = 0;
};
}  // namespace
extern "C" void solve(const float* x, float* y, int M, int N) {
  static Pool pool;
  pool.Run([=](int t) {
    for (int i = t; i < M; i += 2) {
      float s = 0;
      for (int j = 0; j < N; ++j) s += x[i * N + j];
      y[i] = s;
    }
  });
}
