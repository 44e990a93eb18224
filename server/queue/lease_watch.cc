#include "queue/lease_watch.h"

namespace kernelopt::server {

LeaseStep DecideLease(const LeaseTimes& times, const LeaseTerms& terms, int64_t now_us) {
  using Do = LeaseStep::Do;
  // The worker is done and sends the result again; only its silence ends this.
  if (times.result_waits && now_us - times.heard_us < terms.lease_us) return {};
  if (times.stopping) {
    if (now_us - times.stop_asked_us >= terms.grace_us) return {Do::kGiveUp, *times.stopping};
    return {};
  }
  if (now_us - times.heard_us >= terms.lease_us) return {Do::kGiveUp, LeaseEnd::kExpired};
  if (times.cancel_requested) return {Do::kAskToStop, LeaseEnd::kCancelled};
  if (times.recalled) return {Do::kAskToStop, LeaseEnd::kRecalled};
  if (now_us - times.leased_us >= times.run_limit_us) return {Do::kAskToStop, LeaseEnd::kRunTimeout};
  if (now_us - times.progress_us >= times.no_progress_limit_us) {
    return {Do::kAskToStop, LeaseEnd::kNoProgress};
  }
  return {};
}

}  // namespace kernelopt::server
