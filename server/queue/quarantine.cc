#include "queue/quarantine.h"

#include "absl/strings/str_cat.h"

namespace kernelopt::server {

bool IsFault(const std::string& attempt_end) {
  return attempt_end == "WORKER_LOST" || attempt_end == "WORKER_ERROR" || attempt_end == "LEASE_EXPIRED";
}

DeviceFaults WithOneMore(DeviceFaults known, const Fault& fault) {
  const bool first = known.faults == 0;
  ++known.faults;
  if (first || known.last.job != fault.job) ++known.jobs;
  if (first || known.last.uid != fault.uid) ++known.users;
  known.last = fault;
  return known;
}

bool NeedsQuarantine(const DeviceFaults& faults, const QuarantineTerms& terms) {
  return terms.faults > 0 && faults.faults >= terms.faults && faults.jobs > 1;
}

std::optional<uint32_t> QuarantinedUser(const DeviceFaults& faults) {
  return faults.users > 1 ? std::nullopt : std::optional<uint32_t>(faults.last.uid);
}

std::string QuarantineText(const DeviceFaults& faults, const std::string& device) {
  return absl::StrCat(faults.faults, " faults in a row, the last with jobs/", faults.last.job, ": ", faults.last.message,
                      "; when it is mended: koptctl device resume ", device);
}

}  // namespace kernelopt::server
