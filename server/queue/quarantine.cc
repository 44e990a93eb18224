#include "queue/quarantine.h"

#include "absl/strings/str_cat.h"

namespace kernelopt::server {

bool IsFault(const std::string& attempt_end) {
  return attempt_end == "WORKER_LOST" || attempt_end == "WORKER_ERROR" || attempt_end == "LEASE_EXPIRED";
}

DeviceFaults WithOneMore(DeviceFaults known, const std::string& job, const std::string& message) {
  ++known.faults;
  if (known.job != job) ++known.jobs;
  known.job = job;
  known.message = message;
  return known;
}

bool NeedsQuarantine(const DeviceFaults& faults, const QuarantineTerms& terms) {
  return terms.faults > 0 && faults.faults >= terms.faults && faults.jobs > 1;
}

std::string QuarantineText(const DeviceFaults& faults, const std::string& device) {
  return absl::StrCat(faults.faults, " faults in a row, the last with jobs/", faults.job, ": ", faults.message,
                      "; when it is mended: koptctl device resume ", device);
}

}  // namespace kernelopt::server
