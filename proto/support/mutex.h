// Locks that Clang checks (-Wthread-safety).
//
// std::mutex with capability annotations: Debian's Abseil is not instrumented,
// so absl::Mutex makes ThreadSanitizer report races that are not there.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define KOPT_ATTRIBUTE(x) __attribute__((x))
#else
#define KOPT_ATTRIBUTE(x)
#endif
#define KOPT_CAPABILITY(x) KOPT_ATTRIBUTE(capability(x))
#define KOPT_SCOPED_CAPABILITY KOPT_ATTRIBUTE(scoped_lockable)
#define KOPT_GUARDED_BY(x) KOPT_ATTRIBUTE(guarded_by(x))
#define KOPT_REQUIRES(...) KOPT_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define KOPT_EXCLUDES(...) KOPT_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define KOPT_ACQUIRE(...) KOPT_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define KOPT_RELEASE(...) KOPT_ATTRIBUTE(release_capability(__VA_ARGS__))
#define KOPT_NO_THREAD_SAFETY_ANALYSIS KOPT_ATTRIBUTE(no_thread_safety_analysis)

namespace kernelopt::support {

class KOPT_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock() KOPT_ACQUIRE() { mutex_.lock(); }
  void Unlock() KOPT_RELEASE() { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

// Holds a Mutex for a scope.
class KOPT_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) KOPT_ACQUIRE(mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~MutexLock() KOPT_RELEASE() { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// Condition variable for Mutex. Callers loop: wake-ups may be spurious.
class CondVar {
 public:
  void Wait(Mutex& mutex) KOPT_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    cond_.wait(lock);
    lock.release();
  }
  // False when `timeout` passed without a signal.
  bool WaitFor(Mutex& mutex, std::chrono::milliseconds timeout) KOPT_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    const bool signalled = cond_.wait_for(lock, timeout) == std::cv_status::no_timeout;
    lock.release();
    return signalled;
  }
  void NotifyOne() { cond_.notify_one(); }
  void NotifyAll() { cond_.notify_all(); }

 private:
  std::condition_variable cond_;
};

}  // namespace kernelopt::support
