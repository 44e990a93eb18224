#include "store/devices.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include "absl/strings/str_cat.h"
#include "google/protobuf/util/time_util.h"
#include "store/device_faults.h"
#include "support/ids.h"
#include "support/status.h"

namespace kernelopt::server {

using google::protobuf::util::TimeUtil;

namespace {

void SetTime(const SQLite::Column& column, google::protobuf::Timestamp* time) {
  *time = TimeUtil::MicrosecondsToTimestamp(column.getInt64());
}

}  // namespace

void PutDevice(SQLite::Database& db, const v1::Device& device, int64_t now_us) {
  SQLite::Statement s(db,
                      "INSERT INTO device (name, report, seen_us) VALUES (?1, ?2, ?3) "
                      "ON CONFLICT (name) DO UPDATE SET report = ?2, seen_us = ?3");
  const std::string report = device.SerializeAsString();
  s.bind(1, device.name());
  s.bind(2, report.data(), static_cast<int>(report.size()));
  s.bind(3, now_us);
  s.exec();
}

std::vector<v1::Device> LoadDevices(SQLite::Database& db, int64_t now_us) {
  SQLite::Statement s(db,
                      "SELECT name, report, seen_us, drained, drain_reason, drained_by_uid, "
                      "drained_us, reserved_uid, reserved_until_us, reserved_by_uid, "
                      "reserve_reason, pace_us, fault, quarantined_until_us, quarantined_uid FROM device ORDER BY name");
  std::vector<v1::Device> devices;
  while (s.executeStep()) {
    v1::Device device;
    const SQLite::Column report = s.getColumn(1);
    device.ParseFromArray(report.getBlob(), report.getBytes());
    device.set_name(s.getColumn(0).getText());
    SetTime(s.getColumn(2), device.mutable_seen_time());
    device.set_drained(s.getColumn(3).getInt() != 0);
    device.set_drain_reason(s.getColumn(4).getText());
    device.set_drained_by_uid(static_cast<uint32_t>(s.getColumn(5).getInt64()));
    if (!s.getColumn(6).isNull()) SetTime(s.getColumn(6), device.mutable_drain_time());
    if (s.getColumn(8).getInt64() > now_us) {
      v1::Reservation& reservation = *device.mutable_reservation();
      reservation.set_uid(static_cast<uint32_t>(s.getColumn(7).getInt64()));
      SetTime(s.getColumn(8), reservation.mutable_until());
      reservation.set_by_uid(static_cast<uint32_t>(s.getColumn(9).getInt64()));
      reservation.set_reason(s.getColumn(10).getText());
    }
    device.set_pace_seconds(static_cast<double>(s.getColumn(11).getInt64()) * 1e-6);
    if (s.getColumn(13).getInt64() > now_us) {
      device.set_fault(s.getColumn(12).getText());
      SetTime(s.getColumn(13), device.mutable_quarantined_until());
      if (!s.getColumn(14).isNull()) device.set_quarantined_uid(static_cast<uint32_t>(s.getColumn(14).getInt64()));
    }
    devices.push_back(std::move(device));
  }
  return devices;
}

namespace {

absl::Status NoDevice(const std::string& name) {
  return support::ReasonError(
      absl::StatusCode::kNotFound, support::Reason::DEVICE_NOT_FOUND,
      absl::StrCat("no worker ever attached for ", name, "; `koptctl device list` shows those"),
      {{"device", name}});
}

}  // namespace

absl::StatusOr<v1::Device> LoadDevice(SQLite::Database& db, const std::string& name,
                                      int64_t now_us) {
  for (v1::Device& device : LoadDevices(db, now_us)) {
    if (device.name() == name) return std::move(device);
  }
  return NoDevice(name);
}

absl::Status SetDrain(SQLite::Database& db, const std::string& name,
                      const std::optional<Drain>& drain) {
  if (!drain) ForgetFaults(db, support::IdOf(name));
  SQLite::Statement s(db,
                      "UPDATE device SET drained = ?2, drain_reason = ?3, drained_by_uid = ?4, "
                      "drained_us = ?5 WHERE name = ?1");
  s.bind(1, name);
  s.bind(2, drain ? 1 : 0);
  s.bind(3, drain ? drain->reason : "");
  if (drain) {
    s.bind(4, static_cast<int64_t>(drain->by_uid));
    s.bind(5, drain->at_us);
  }
  return s.exec() == 0 ? NoDevice(name) : absl::OkStatus();
}

absl::Status SetReservation(SQLite::Database& db, const std::string& name,
                            const std::optional<v1::Reservation>& reservation) {
  SQLite::Statement s(db,
                      "UPDATE device SET reserved_uid = ?2, reserved_until_us = ?3, "
                      "reserved_by_uid = ?4, reserve_reason = ?5 WHERE name = ?1");
  s.bind(1, name);
  s.bind(5, reservation ? reservation->reason() : "");
  if (reservation) {
    s.bind(2, static_cast<int64_t>(reservation->uid()));
    s.bind(3, static_cast<int64_t>(TimeUtil::TimestampToMicroseconds(reservation->until())));
    s.bind(4, static_cast<int64_t>(reservation->by_uid()));
  }
  return s.exec() == 0 ? NoDevice(name) : absl::OkStatus();
}

}  // namespace kernelopt::server
