#include "queue/explain.h"

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "google/protobuf/util/time_util.h"
#include "queue/lifecycle.h"
#include "queue/quota.h"

namespace kernelopt::server {
namespace {

using google::protobuf::util::TimeUtil;

v1::ExplainJobResponse Say(const std::string& reason, const std::string& message) {
  v1::ExplainJobResponse response;
  response.set_reason(reason);
  response.set_message(message);
  return response;
}

std::string Because(const std::string& reason) {
  return reason.empty() ? std::string() : absl::StrCat(" (", reason, ")");
}

std::string TimeText(const google::protobuf::Timestamp& time) {
  return absl::FormatTime("%Y-%m-%d %H:%M:%S UTC", absl::FromUnixSeconds(time.seconds()),
                          absl::UTCTimeZone());
}

// "in about 3 min"
std::string InAbout(int64_t us) {
  const int64_t s = us / 1'000'000;
  if (s < 1) return "in a moment";
  if (s < 100) return absl::StrCat("in about ", s, " s");
  if (s < 6000) return absl::StrCat("in about ", s / 60, " min");
  return absl::StrCat("in about ", s / 3600, " h");
}

// Held, waiting for others or for its hour: none of the device's business.
std::optional<v1::ExplainJobResponse> NotInLine(const WaitFacts& facts) {
  const v1::Job& job = facts.job;
  if (job.state() == v1::JOB_STATE_HELD) {
    return Say("HELD", absl::StrCat("it is held; release it with `koptctl release ", job.name(), "`"));
  }
  if (!facts.unmet_job.empty()) {
    v1::ExplainJobResponse response =
        Say("DEPENDENCY", absl::StrCat("it waits for ", facts.unmet_job, " to end",
                                       facts.unmet_ok ? " CORRECT" : ""));
    response.set_next_in_front(facts.unmet_job);
    return response;
  }
  if (job.spec().has_not_before() &&
      TimeUtil::TimestampToMicroseconds(job.spec().not_before()) > facts.now_us) {
    v1::ExplainJobResponse response = Say(
        "NOT_BEFORE", absl::StrCat("it does not start before ", TimeText(job.spec().not_before())));
    *response.mutable_estimated_start_time() = job.spec().not_before();
    return response;
  }
  return std::nullopt;
}

// Nothing starts, or nothing of this user.
std::optional<v1::ExplainJobResponse> Closed(const WaitFacts& facts) {
  const std::string& device = facts.job.spec().device();
  if (facts.pause_reason) {
    return Say("QUEUE_PAUSED", absl::StrCat("the queue is paused", Because(*facts.pause_reason)));
  }
  if (!facts.device || !facts.device->online()) {
    return Say("NO_WORKER",
               absl::StrCat("no worker is attached for ", device,
                            facts.device ? absl::StrCat("; it was, and may come back", Because(facts.device->fault()))
                                         : "; start kernelopt-worker for it, or submit with "
                                           "--device host"));
  }
  if (facts.device->drained()) {
    return Say("DEVICE_DRAINED", absl::StrCat(device, " takes no new jobs",
                                              Because(facts.device->drain_reason())));
  }
  const bool others = facts.device->has_quarantined_uid() && facts.device->quarantined_uid() != facts.job.owner_uid();
  if (!facts.device->fault().empty() && !others) {
    const bool until = facts.device->has_quarantined_until();
    v1::ExplainJobResponse response =
        Say(until ? "DEVICE_QUARANTINED" : "DEVICE_FAULT",
            absl::StrCat(device, until ? " is in quarantine" : " does not work", Because(facts.device->fault()),
                         until ? absl::StrCat("; one job is tried on it at ", TimeText(facts.device->quarantined_until())) : ""));
    if (until) *response.mutable_estimated_start_time() = facts.device->quarantined_until();
    return response;
  }
  const v1::Reservation& reservation = facts.device->reservation();
  if (facts.device->has_reservation() && reservation.uid() != facts.job.owner_uid()) {
    v1::ExplainJobResponse response =
        Say("DEVICE_RESERVED",
            absl::StrCat(device, " is reserved for uid ", reservation.uid(), " until ",
                         TimeText(reservation.until()), Because(reservation.reason())));
    *response.mutable_estimated_start_time() = reservation.until();
    return response;
  }
  if (facts.barred == "running_jobs") {
    return Say("RUNNING_JOBS_LIMIT",
               absl::StrCat("as many of its owner's jobs run as may at a time",
                            Because(facts.quota > 0 ? absl::StrCat(facts.quota) : "")));
  }
  if (facts.barred == "turn_seconds_per_day") {
    v1::ExplainJobResponse response =
        Say("TURN_SECONDS_LIMIT",
            absl::StrCat("its owner has used the turn seconds of today",
                         Because(facts.quota > 0 ? absl::StrCat(facts.quota) : ""),
                         "; it goes on at 00:00 UTC"));
    *response.mutable_estimated_start_time() =
        TimeUtil::MicrosecondsToTimestamp((DayOf(facts.now_us) + 1) * kDayUs);
    return response;
  }
  return std::nullopt;
}

v1::ExplainJobResponse InLine(const WaitFacts& facts) {
  const std::string& device = facts.job.spec().device();
  const int64_t ahead = facts.position.value_or(1) - 1;
  const std::string running = facts.device ? facts.device->current_job() : "";
  const int64_t wait_us = (ahead + (running.empty() ? 0 : 1)) * facts.pace_us;
  const std::string estimate =
      facts.pace_us > 0 ? absl::StrCat("; it may start ", InAbout(wait_us)) : "";
  v1::ExplainJobResponse response;
  if (ahead > 0) {
    response = Say("BEHIND_JOBS", absl::StrCat(ahead, ahead == 1 ? " job goes" : " jobs go",
                                               " first on ", device, "; the one right in front is ",
                                               facts.in_front, estimate));
    response.set_next_in_front(facts.in_front);
  } else {
    response = Say("NEXT", absl::StrCat("it is next on ", device,
                                        running.empty() ? "" : absl::StrCat(", after ", running),
                                        estimate));
    response.set_next_in_front(running);
  }
  response.set_jobs_ahead(ahead);
  if (facts.pace_us > 0) {
    *response.mutable_estimated_start_time() =
        TimeUtil::MicrosecondsToTimestamp(facts.now_us + wait_us);
  }
  return response;
}

}  // namespace

v1::ExplainJobResponse Explain(const WaitFacts& facts) {
  const v1::Job& job = facts.job;
  if (IsTerminal(job.state())) {
    return Say("ENDED", absl::StrCat("it has ended: ", StateName(job.state()),
                                     Because(job.state_message())));
  }
  if (HasLease(job.state())) {
    const bool turn = job.state() == v1::JOB_STATE_RUNNING;
    return Say(turn ? "RUNNING" : "BUILDING",
               absl::StrCat(turn ? "it has its turn on " : "it is being built for ",
                            job.spec().device(), Because(job.progress().message())));
  }
  if (auto waits = NotInLine(facts)) return *waits;
  if (auto closed = Closed(facts)) return *closed;
  return InLine(facts);
}

}  // namespace kernelopt::server
