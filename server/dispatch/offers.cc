// Jobs go out to workers, and are asked back before their turn.
#include <algorithm>
#include <optional>
#include <set>

#include "dispatch/dispatcher.h"
#include "spdlog/spdlog.h"
#include "support/fail_point.h"
#include "support/ids.h"

namespace kernelopt::server {

using support::MutexLock;

void Dispatcher::Kick() {
  std::vector<std::string> devices;
  {
    MutexLock lock(mutex_);
    for (const auto& [device, worker] : workers_) devices.push_back(device);
  }
  for (const std::string& device : devices) Offer(device);
  Recall();
}

void Dispatcher::Offer(const std::string& device) {
  Claim claim;
  {
    MutexLock lock(mutex_);
    const auto found = workers_.find(device);
    if (found == workers_.end() || stopping_) return;
    Worker& worker = found->second;
    if (!worker.ready || worker.claiming) return;
    worker.claiming = true;
    claim = Claim{worker.instance, worker.boot_id, device, clock_.Now()};
  }
  auto grant = std::make_shared<v1::LeaseGrant>();
  auto lease = std::make_shared<Lease>();
  database_.Write(
      [=, this](SQLite::Database& db) -> absl::Status {
        const std::optional<JobRow> row = ClaimNext(db, claim, options_.policy);
        if (!row) return absl::OkStatus();
        *lease = LeaseOf(*row, claim.now.boot_us);
        *grant->mutable_lease() = lease->id;
        *grant->mutable_spec() = row->job.spec();
        grant->set_owner_uid(row->job.owner_uid());
        const int64_t room = LogRoom(db, row->job.owner_uid(), options_.policy);
        if (room < INT64_MAX) lease->log_cap = row->log_bytes + room;
        grant->set_log_bytes(std::min(options_.log_bytes, lease->log_cap));
        return absl::OkStatus();
      },
      [=, this](const absl::Status& status) {
        if (!status.ok()) {  // nothing was committed, whatever the work had filled in
          spdlog::error("claim for {}: {}", device, std::string(status.message()));
          grant->Clear();
        }
        OnClaimed(device, *grant, *lease);
      });
}

void Dispatcher::OnClaimed(const std::string& device, const v1::LeaseGrant& grant,
                           const Lease& lease) {
  v1::AttachResponse message;
  *message.mutable_lease() = grant;
  {
    MutexLock lock(mutex_);
    const auto found = workers_.find(device);
    if (found != workers_.end()) found->second.claiming = false;
    if (!grant.has_lease()) return;
    // Also when the worker has gone meanwhile: the deadline gives it up then.
    leases_[support::IdOf(grant.lease().job())] = lease;
    if (found != workers_.end()) {
      found->second.ready = false;
      found->second.link->Send(message);
    }
  }
  KOPT_FAIL_POINT("daemon.after_lease_sent");
  spdlog::info("{} leased to {} (attempt {})", grant.lease().job(), device,
               grant.lease().attempt());
}

void Dispatcher::Recall() {
  std::set<std::string> devices;
  {
    MutexLock lock(mutex_);
    for (const auto& [id, lease] : leases_) {
      const bool waits = !lease.turn_begun && lease.recallable && !lease.times.recalled;
      if (waits && lease.priority > v1::PRIORITY_INTERACTIVE) devices.insert(lease.device);
    }
  }
  for (const std::string& device : devices) {
    auto best = std::make_shared<std::optional<int>>();
    database_.Read(
        [=, this](SQLite::Database& db) {
          *best = BestClass(db, device, options_.policy, clock_.WallUs());
          return absl::OkStatus();
        },
        [=, this](const absl::Status& status) {
          if (!status.ok() || !*best) return;
          MutexLock lock(mutex_);
          for (auto& [id, lease] : leases_) {
            if (lease.device != device || lease.turn_begun || !lease.recallable) continue;
            if (lease.priority > **best) lease.times.recalled = true;
          }
          wake_.NotifyAll();
        });
  }
}

}  // namespace kernelopt::server
