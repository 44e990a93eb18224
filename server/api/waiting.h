// Gathers what ExplainJob and ListQueue tell of jobs that wait.
#pragma once

#include "api/context.h"
#include "queue/explain.h"
#include "store/jobs.h"
#include "store/leases.h"

namespace kernelopt::server {

// Adds to a device what only dispatch knows of it.
void AddLive(v1::Device& device, const Dispatcher& dispatcher);
// All devices, with that.
std::vector<v1::Device> LiveDevices(SQLite::Database& db, const ApiContext& api);

// Explains jobs; looks at each device's line once. For one read transaction.
class WaitingRoom {
 public:
  // What it says of others' jobs leaves out what only they may know.
  WaitingRoom(SQLite::Database& db, ApiContext& api, const Caller& caller);

  v1::ExplainJobResponse Explain(const JobRow& row);
  // Jobs of a device in line, first to start first.
  const std::vector<Waiting>& Order(const std::string& device);
  const std::optional<std::string>& pause_reason() const { return pause_reason_; }

 private:
  struct Room {
    std::optional<v1::Device> device;
    Line line;
    std::map<int64_t, size_t> place;  // id -> index in line.order
  };
  Room& RoomOf(const std::string& device);

  SQLite::Database& db_;
  ApiContext& api_;
  const Caller caller_;
  const int64_t now_us_;
  std::optional<std::string> pause_reason_;
  std::map<std::string, Room> rooms_;
};

}  // namespace kernelopt::server
