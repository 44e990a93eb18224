#include "api/waiting.h"

#include "absl/strings/str_cat.h"
#include "store/accounts.h"
#include "store/dependencies.h"
#include "store/devices.h"
#include "store/switches.h"
#include "support/ids.h"

namespace kernelopt::server {

void AddLive(v1::Device& device, const Dispatcher& dispatcher) {
  const Dispatcher::Live live = dispatcher.LiveOf(support::IdOf(device.name()));
  device.set_online(live.online);
  if (!live.job.empty()) device.set_current_job(absl::StrCat("jobs/", live.job));
}

std::vector<v1::Device> LiveDevices(SQLite::Database& db, const ApiContext& api) {
  std::vector<v1::Device> devices = LoadDevices(db, api.clock.WallUs());
  for (v1::Device& device : devices) AddLive(device, api.dispatcher);
  return devices;
}

WaitingRoom::WaitingRoom(SQLite::Database& db, ApiContext& api, const Caller& caller)
    : db_(db), api_(api), caller_(caller), now_us_(api.clock.WallUs()), pause_reason_(PauseReason(db)) {}

WaitingRoom::Room& WaitingRoom::RoomOf(const std::string& device) {
  const auto known = rooms_.find(device);
  if (known != rooms_.end()) return known->second;
  Room& room = rooms_[device];
  auto found = LoadDevice(db_, absl::StrCat("devices/", device), now_us_);
  if (found.ok()) {
    AddLive(*found, api_.dispatcher);
    room.device = *std::move(found);
  }
  room.line = LoadLine(db_, device, api_.policy, now_us_);
  for (size_t i = 0; i < room.line.order.size(); ++i) room.place[room.line.order[i].id] = i;
  return room;
}

const std::vector<Waiting>& WaitingRoom::Order(const std::string& device) {
  return RoomOf(device).line.order;
}

v1::ExplainJobResponse WaitingRoom::Explain(const JobRow& row) {
  WaitFacts facts;
  facts.job = row.job;
  facts.now_us = now_us_;
  facts.pause_reason = pause_reason_;
  if (IsTerminal(row.facts.state) || HasLease(row.facts.state)) return server::Explain(facts);
  Room& room = RoomOf(row.job.spec().device());
  facts.device = room.device;
  facts.pace_us = room.line.pace_us;
  if (row.unmet > 0) {
    if (const auto unmet = FirstUnmet(db_, row.id)) {
      facts.unmet_job = unmet->job;
      facts.unmet_ok = unmet->condition == v1::DEPENDENCY_CONDITION_AFTER_OK;
    }
  }
  const auto barred = room.line.barred.find(row.job.owner_uid());
  if (barred != room.line.barred.end() && barred->second != Barred::kReserved && barred->second != Barred::kQuarantined) {
    const v1::Quota limits = LimitsOf(db_, row.job.owner_uid(), api_.policy.quota);
    const bool running = barred->second == Barred::kRunningJobs;
    facts.barred = running ? "running_jobs" : "turn_seconds_per_day";
    if (RequireOwner(caller_, row.job.owner_uid()).ok()) {
      facts.quota = running ? limits.running_jobs() : limits.turn_seconds_per_day();
    }
  }
  const auto place = room.place.find(row.id);
  if (place != room.place.end()) {
    facts.position = static_cast<int64_t>(place->second) + 1;
    if (place->second > 0) {
      facts.in_front = LoadJobById(db_, room.line.order[place->second - 1].id).job.name();
    }
  }
  return server::Explain(facts);
}

}  // namespace kernelopt::server
