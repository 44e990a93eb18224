#include "queue/explain.h"

#include "absl/strings/str_cat.h"
#include "queue/lifecycle.h"

namespace kernelopt::server {
namespace {

v1::ExplainJobResponse Say(const std::string& reason, const std::string& message) {
  v1::ExplainJobResponse response;
  response.set_reason(reason);
  response.set_message(message);
  return response;
}

std::string Because(const std::string& reason) {
  return reason.empty() ? std::string() : absl::StrCat(" (", reason, ")");
}

}  // namespace

v1::ExplainJobResponse Explain(const WaitFacts& facts) {
  const v1::Job& job = facts.job;
  const std::string& device = job.spec().device();
  if (IsTerminal(job.state())) {
    return Say("ENDED", absl::StrCat("it has ended: ", StateName(job.state()),
                                     Because(job.state_message())));
  }
  if (HasLease(job.state())) {
    return Say("RUNNING", absl::StrCat("it is being worked on by ", device,
                                       Because(job.progress().message())));
  }
  if (job.state() == v1::JOB_STATE_HELD) {
    return Say("HELD", "it is held; release it with `koptctl release`");
  }
  if (facts.pause_reason) {
    return Say("QUEUE_PAUSED", absl::StrCat("the queue is paused", Because(*facts.pause_reason)));
  }
  if (!facts.device_online) {
    return Say("NO_WORKER",
               absl::StrCat("no worker is attached for ", device,
                            facts.device_known ? "; it was, and may come back"
                                               : "; start kernelopt-worker for it, or submit with "
                                                 "--device host"));
  }
  if (facts.device_drained) {
    return Say("DEVICE_DRAINED",
               absl::StrCat(device, " takes no new jobs", Because(facts.drain_reason)));
  }
  if (facts.jobs_ahead > 0) {
    v1::ExplainJobResponse response =
        Say("BEHIND_JOBS", absl::StrCat(facts.jobs_ahead, " jobs go first on ", device,
                                        "; the one in front is ", facts.next_in_front));
    response.set_jobs_ahead(facts.jobs_ahead);
    response.set_next_in_front(facts.next_in_front);
    return response;
  }
  v1::ExplainJobResponse response = Say(
      "NEXT", facts.running_job.empty()
                  ? absl::StrCat("it is next on ", device)
                  : absl::StrCat("it is next on ", device, ", after ", facts.running_job));
  response.set_next_in_front(facts.running_job);
  return response;
}

}  // namespace kernelopt::server
