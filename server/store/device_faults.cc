#include "store/device_faults.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "spdlog/spdlog.h"
#include "store/switches.h"

namespace kernelopt::server {
namespace {

DeviceFaults Load(SQLite::Database& db, const std::string& name) {
  SQLite::Statement s(db, "SELECT faults, fault_jobs, fault_job FROM device WHERE name = ?");
  s.bind(1, name);
  DeviceFaults known;
  if (!s.executeStep()) return known;
  known.faults = s.getColumn(0).getInt();
  known.jobs = s.getColumn(1).getInt();
  known.job = s.getColumn(2).getText();
  return known;
}

}  // namespace

void RecordFault(SQLite::Database& db, const std::string& device, const std::string& job, const std::string& message,
                 const QuarantineTerms& terms, int64_t now_us) {
  const std::string name = absl::StrCat("devices/", device);
  const DeviceFaults faults = WithOneMore(Load(db, name), job, message);
  const bool enough = NeedsQuarantine(faults, terms);
  const std::string text = enough ? QuarantineText(faults, device) : message;
  SQLite::Statement s(db,
                      "UPDATE device SET faults = ?2, fault_jobs = ?3, fault_job = ?4, fault = ?5, "
                      "quarantined_until_us = iif(?6, ?7, quarantined_until_us) WHERE name = ?1");
  s.bind(1, name);
  s.bind(2, faults.faults);
  s.bind(3, faults.jobs);
  s.bind(4, faults.job);
  s.bind(5, text);
  s.bind(6, enough ? 1 : 0);
  s.bind(7, now_us + terms.us);
  s.exec();
  if (!enough) return;
  AddAudit(db, now_us, geteuid(), "QUARANTINE_DEVICE", name, text);
  spdlog::error("{} is in quarantine: {}", name, text);
}

void ForgetFaults(SQLite::Database& db, const std::string& device) {
  SQLite::Statement s(db,
                      "UPDATE device SET faults = 0, fault_jobs = 0, fault_job = '', fault = '', "
                      "quarantined_until_us = NULL WHERE name = ? AND faults > 0");
  s.bind(1, absl::StrCat("devices/", device));
  s.exec();
}

}  // namespace kernelopt::server
