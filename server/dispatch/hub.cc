#include "dispatch/hub.h"

#include <utility>

namespace kernelopt::server {

using support::MutexLock;

Hub::Ticket& Hub::Ticket::operator=(Ticket&& other) noexcept {
  if (this == &other) return *this;
  Drop();
  hub_ = std::exchange(other.hub_, nullptr);
  job_ = std::move(other.job_);
  id_ = other.id_;
  return *this;
}

void Hub::Ticket::Drop() {
  if (Hub* hub = std::exchange(hub_, nullptr)) hub->Unsubscribe(job_, id_);
}

Hub::Ticket Hub::Subscribe(const std::string& job, Listener listener) {
  MutexLock lock(mutex_);
  const int64_t id = next_id_++;
  listeners_[job][id] = std::make_shared<Listener>(std::move(listener));
  return Ticket(this, job, id);
}

void Hub::Unsubscribe(const std::string& job, int64_t id) {
  MutexLock lock(mutex_);
  const auto found = listeners_.find(job);
  if (found == listeners_.end()) return;
  found->second.erase(id);
  if (found->second.empty()) listeners_.erase(found);
}

void Hub::Publish(const std::string& job) {
  std::vector<std::shared_ptr<Listener>> call;
  {
    MutexLock lock(mutex_);
    const auto found = listeners_.find(job);
    if (found == listeners_.end()) return;
    for (const auto& [id, listener] : found->second) call.push_back(listener);
  }
  for (const auto& listener : call) (*listener)();
}

void Hub::PublishAll() {
  std::vector<std::shared_ptr<Listener>> call;
  {
    MutexLock lock(mutex_);
    for (const auto& [job, listeners] : listeners_) {
      for (const auto& [id, listener] : listeners) call.push_back(listener);
    }
  }
  for (const auto& listener : call) (*listener)();
}

void Hub::SetProgress(const std::string& job, const v1::Progress& progress) {
  {
    MutexLock lock(mutex_);
    progress_[job] = progress;
  }
  Publish(job);
}

void Hub::ClearProgress(const std::string& job) {
  MutexLock lock(mutex_);
  progress_.erase(job);
}

v1::Progress Hub::ProgressOf(const std::string& job) const {
  MutexLock lock(mutex_);
  const auto found = progress_.find(job);
  return found == progress_.end() ? v1::Progress() : found->second;
}

}  // namespace kernelopt::server
