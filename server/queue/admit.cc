#include "queue/admit.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "queue/spec_check.h"
#include "store/accounts.h"
#include "store/blob_rows.h"
#include "store/dependencies.h"
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

absl::Status CheckQuotas(SQLite::Database& db, const Admission& admission,
                         const v1::Quota& limits) {
  const int64_t most = limits.queued_jobs();
  if (most > 0 && CountLiveJobs(db, admission.uid, most) >= most) {
    return ReasonError(absl::StatusCode::kResourceExhausted, Reason::QUEUED_JOBS_LIMIT,
                       absl::StrCat("you have ", most,
                                    " jobs waiting or running, which is your limit "
                                    "(limits.queued_jobs); wait for some to finish"),
                       {{"limit", absl::StrCat(most)}});
  }
  return CountSubmission(db, admission.uid, limits.submissions_per_minute(), admission.now_us);
}

}  // namespace

absl::StatusOr<std::string> Admit(SQLite::Database& db, const Admission& admission,
                                  const QueuePolicy& policy) {
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
  const v1::Quota limits = LimitsOf(db, admission.uid, policy.quota);
  if (absl::Status s = CheckQuotas(db, admission, limits); !s.ok()) return s;
  if (absl::Status s = CheckBlobs(db, admission); !s.ok()) return s;
  NewJob job;
  job.public_id = support::NewId(admission.now_us);
  job.owner_uid = admission.uid;
  job.spec = admission.spec;
  job.request_id = admission.request_id;
  job.request_digest = admission.request_digest;
  job.retry_of = admission.retry_of;
  job.now_us = admission.now_us;
  job.queue_us = static_cast<int64_t>(Seconds(job.spec.limits().queue()) * 1e6);
  const int64_t id = InsertJob(db, job);
  if (absl::Status s = InsertDependencies(db, id, job.spec, job.owner_uid); !s.ok()) return s;
  return job.public_id;
}

}  // namespace kernelopt::server
