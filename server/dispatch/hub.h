// Wakes whoever watches a job.
//
// Carries no data: a watcher that is woken reads the store (and the live
// progress kept here) and finds out itself, so nothing can be missed or come
// out of order. Thread-safe; listeners are called without a lock held and must
// not block.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernelopt/v1/job.pb.h"
#include "support/mutex.h"

namespace kernelopt::server {

class Hub {
 public:
  using Listener = std::function<void()>;

  // Calls `listener` after each change of the job until the ticket is dropped.
  // One call may still be under way then.
  class Ticket {
   public:
    Ticket() = default;
    Ticket(Hub* hub, std::string job, int64_t id) : hub_(hub), job_(std::move(job)), id_(id) {}
    Ticket(Ticket&& other) noexcept { *this = std::move(other); }
    Ticket& operator=(Ticket&& other) noexcept;
    ~Ticket() { Drop(); }
    void Drop();

   private:
    Hub* hub_ = nullptr;
    std::string job_;
    int64_t id_ = 0;
  };
  [[nodiscard]] Ticket Subscribe(const std::string& job, Listener listener);

  void Publish(const std::string& job);
  // Wakes everybody, for heartbeats and shutdown.
  void PublishAll();

  // Latest progress of a leased job; not durable.
  void SetProgress(const std::string& job, const v1::Progress& progress);
  void ClearProgress(const std::string& job);
  v1::Progress ProgressOf(const std::string& job) const;

 private:
  void Unsubscribe(const std::string& job, int64_t id);

  mutable support::Mutex mutex_;
  int64_t next_id_ KOPT_GUARDED_BY(mutex_) = 1;
  std::map<std::string, std::map<int64_t, std::shared_ptr<Listener>>> listeners_
      KOPT_GUARDED_BY(mutex_);
  std::map<std::string, v1::Progress> progress_ KOPT_GUARDED_BY(mutex_);
};

}  // namespace kernelopt::server
