#include "queue/admit.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "queue/spec_check.h"
#include "store/catalog.h"
#include "store/jobs.h"
#include "store/spec_files.h"
#include "support/ids.h"
#include "support/status.h"

namespace kernelopt::server {
namespace {

using support::Reason;
using support::ReasonError;

absl::Status CheckBlobs(SQLite::Database& db, const Admission& admission) {
  std::map<std::string, std::string> metadata;
  std::string missing;
  const auto check = [&](const v1::SourceFile& file) {
    // A retry repeats a job whose blobs are pinned; they belong to its owner.
    if (!admission.retry_of.empty() || OwnsBlob(db, file.digest(), admission.uid)) return;
    absl::StrAppend(&missing, missing.empty() ? "" : ",", file.digest());
  };
  EachFile(admission.spec, check);
  if (missing.empty()) return absl::OkStatus();
  return ReasonError(absl::StatusCode::kFailedPrecondition, Reason::BLOB_MISSING,
                     absl::StrCat("write these blobs first (WriteBlob): ", missing),
                     {{"missing", missing}});
}

}  // namespace

absl::StatusOr<std::string> Admit(SQLite::Database& db, const Admission& admission) {
  if (!admission.request_id.empty()) {
    const auto earlier = FindRequest(db, admission.uid, admission.request_id);
    if (earlier && earlier->request_digest == admission.request_digest) return earlier->public_id;
    if (earlier) {
      return ReasonError(absl::StatusCode::kAlreadyExists, Reason::REQUEST_ID_REUSED,
                         absl::StrCat("request_id ", admission.request_id,
                                      " was used for another spec (jobs/", earlier->public_id,
                                      "); make a new UUID for each new request"));
    }
  }
  const int64_t limit =
      QueuedJobsLimit(db, admission.uid).value_or(admission.queued_jobs_limit);
  if (limit > 0 && CountLiveJobs(db, admission.uid) >= limit) {
    return ReasonError(absl::StatusCode::kResourceExhausted, Reason::QUEUED_JOBS_LIMIT,
                       absl::StrCat("you have ", limit,
                                    " jobs waiting or running, which is your limit "
                                    "(limits.queued_jobs); wait for some to finish"),
                       {{"limit", absl::StrCat(limit)}});
  }
  if (absl::Status s = CheckBlobs(db, admission); !s.ok()) return s;
  NewJob job;
  job.public_id = support::NewId(admission.now_us);
  job.owner_uid = admission.uid;
  job.spec = admission.spec;
  job.request_id = admission.request_id;
  job.request_digest = admission.request_digest;
  job.retry_of = admission.retry_of;
  job.now_us = admission.now_us;
  job.queue_deadline_us =
      admission.now_us + static_cast<int64_t>(Seconds(job.spec.limits().queue()) * 1e6);
  InsertJob(db, job);
  return job.public_id;
}

}  // namespace kernelopt::server
