// The table device: every device a worker ever attached for.
//
// Every function runs inside Database::Write or Database::Read work; see
// store/jobs.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernelopt/v1/device_service.pb.h"

namespace SQLite {
class Database;
}

namespace kernelopt::server {

// Remembers what a worker said of its device.
void PutDevice(SQLite::Database& db, const v1::Device& device, int64_t now_us);
// Without online and current_job, which only dispatch knows; reservations that
// have passed are left out, and so are quarantines. Names are full (`devices/host`).
std::vector<v1::Device> LoadDevices(SQLite::Database& db, int64_t now_us);
// NOT_FOUND DEVICE_NOT_FOUND.
absl::StatusOr<v1::Device> LoadDevice(SQLite::Database& db, const std::string& name,
                                      int64_t now_us);

// Without: drained no longer, and faults forgotten. NOT_FOUND DEVICE_NOT_FOUND.
struct Drain {
  std::string reason;
  uint32_t by_uid = 0;
  int64_t at_us = 0;
};
absl::Status SetDrain(SQLite::Database& db, const std::string& name,
                      const std::optional<Drain>& drain);
// NOT_FOUND DEVICE_NOT_FOUND.
absl::Status SetReservation(SQLite::Database& db, const std::string& name,
                            const std::optional<v1::Reservation>& reservation);

}  // namespace kernelopt::server
