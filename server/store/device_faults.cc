#include "store/device_faults.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "spdlog/spdlog.h"
#include "store/switches.h"

namespace kernelopt::server {
namespace {

DeviceFaults Load(SQLite::Database& db, const std::string& name) {
  SQLite::Statement s(db, "SELECT faults, fault_jobs, fault_users, fault_job, fault_uid FROM device WHERE name = ?");
  s.bind(1, name);
  DeviceFaults known;
  if (!s.executeStep()) return known;
  known.faults = s.getColumn(0).getInt();
  known.jobs = s.getColumn(1).getInt();
  known.users = s.getColumn(2).getInt();
  known.last.job = s.getColumn(3).getText();
  known.last.uid = static_cast<uint32_t>(s.getColumn(4).getInt64());
  return known;
}

void Rest(SQLite::Database& db, const std::string& name, const DeviceFaults& faults, const std::string& text,
          int64_t now_us, int64_t until_us) {
  SQLite::Statement s(db, "UPDATE device SET fault = ?2, quarantined_until_us = ?3, quarantined_uid = ?4 WHERE name = ?1");
  s.bind(1, name);
  s.bind(2, text);
  s.bind(3, until_us);
  if (const auto uid = QuarantinedUser(faults)) s.bind(4, static_cast<int64_t>(*uid));
  s.exec();
  AddAudit(db, now_us, geteuid(), "QUARANTINE_DEVICE", name, text);
  spdlog::error("{} is in quarantine: {}", name, text);
}

}  // namespace

void RecordFault(SQLite::Database& db, const std::string& device, const Fault& fault, const QuarantineTerms& terms,
                 int64_t now_us) {
  const std::string name = absl::StrCat("devices/", device);
  const DeviceFaults faults = WithOneMore(Load(db, name), fault);
  SQLite::Statement s(db,
                      "UPDATE device SET faults = ?2, fault_jobs = ?3, fault_users = ?4, fault_job = ?5, "
                      "fault_uid = ?6 WHERE name = ?1");
  s.bind(1, name);
  s.bind(2, faults.faults);
  s.bind(3, faults.jobs);
  s.bind(4, faults.users);
  s.bind(5, fault.job);
  s.bind(6, static_cast<int64_t>(fault.uid));
  s.exec();
  if (NeedsQuarantine(faults, terms)) Rest(db, name, faults, QuarantineText(faults, device), now_us, now_us + terms.us);
}

void ForgetFaults(SQLite::Database& db, const std::string& device) {
  SQLite::Statement s(db,
                      "UPDATE device SET faults = 0, fault_jobs = 0, fault_users = 0, fault = '', "
                      "quarantined_until_us = NULL, quarantined_uid = NULL WHERE name = ? AND faults > 0");
  s.bind(1, absl::StrCat("devices/", device));
  s.exec();
}

}  // namespace kernelopt::server
