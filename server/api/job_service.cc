#include "api/job_service.h"

#include "absl/strings/str_cat.h"
#include "api/pull_stream.h"
#include "queue/admit.h"
#include "queue/explain.h"
#include "reports/report.h"
#include "store/catalog.h"
#include "store/jobs.h"
#include "support/ids.h"
#include "support/sha256.h"

namespace kernelopt::server {
namespace {

std::string IdOf(const std::string& name) { return name.substr(name.find('/') + 1); }

absl::StatusOr<JobRow> LoadNamed(SQLite::Database& db, const std::string& name,
                                 With with = With::kRow) {
  const absl::StatusOr<std::string> id = support::ParseName(name, "jobs");
  if (!id.ok()) return support::BadRequest({{"name", std::string(id.status().message())}});
  return LoadJob(db, *id, with);
}

// Ends a stream that cannot start.
template <class Response>
class FailedStream : public grpc::ServerWriteReactor<Response> {
 public:
  explicit FailedStream(const absl::Status& status) { this->Finish(support::ToGrpc(status)); }
  void OnDone() override { delete this; }
};

}  // namespace

void JobService::Finish(v1::Job& job, const Caller& caller) const {
  *job.mutable_progress() = api_.hub.ProgressOf(IdOf(job.name()));
  if (RequireOwner(caller, job.owner_uid()).ok()) return;
  v1::JobSpec visible;
  visible.set_kind(job.spec().kind());
  visible.set_device(job.spec().device());
  visible.set_priority(job.spec().priority());
  *job.mutable_spec() = visible;
}

grpc::ServerUnaryReactor* JobService::CreateJob(grpc::CallbackServerContext* context,
                                                const v1::CreateJobRequest* request,
                                                v1::CreateJobResponse* response) {
  if (absl::Status s = CheckSpec(request->spec(), api_.spec_limits); !s.ok()) {
    return Reply(context, s);
  }
  Admission admission;
  admission.spec = WithDefaults(request->spec(), api_.spec_limits);
  admission.request_id = request->request_id();
  admission.request_digest = support::Sha256Hex(request->spec().SerializeAsString());
  admission.now_us = api_.clock.WallUs();
  admission.queued_jobs_limit = api_.queued_jobs;
  const std::string device = admission.spec.device();
  return WriteAndReply(
      context, api_,
      [=](SQLite::Database& db, const Caller& caller) -> absl::Status {
        Admission mine = admission;
        mine.uid = caller.uid;
        const absl::StatusOr<std::string> id = Admit(db, mine);
        if (!id.ok()) return id.status();
        absl::StatusOr<JobRow> row = LoadJob(db, *id, With::kAttempts);
        if (!row.ok()) return row.status();
        *response->mutable_job() = std::move(row->job);
        return absl::OkStatus();
      },
      [=, this] {
        if (!api_.dispatcher.LiveOf(device).online) {
          response->add_warnings(absl::StrCat("no worker is attached for ", device, " yet"));
        }
        api_.dispatcher.Kick();
      });
}

grpc::ServerUnaryReactor* JobService::GetJob(grpc::CallbackServerContext* context,
                                             const v1::GetJobRequest* request,
                                             v1::GetJobResponse* response) {
  return ReadAndReply(context, api_, [=, this](SQLite::Database& db, const Caller& caller) {
    absl::StatusOr<JobRow> row = LoadNamed(db, request->name(), With::kAttempts);
    if (!row.ok()) return row.status();
    Finish(row->job, caller);
    *response->mutable_job() = std::move(row->job);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* JobService::ListJobs(grpc::CallbackServerContext* context,
                                               const v1::ListJobsRequest* request,
                                               v1::ListJobsResponse* response) {
  return ReadAndReply(context, api_, [=, this](SQLite::Database& db, const Caller& caller) {
    absl::StatusOr<JobPage> page = ListJobRows(db, *request, caller.uid);
    if (!page.ok()) return page.status();
    for (v1::Job& job : page->jobs) {
      Finish(job, caller);
      *response->add_jobs() = std::move(job);
    }
    response->set_next_page_token(page->next_page_token);
    return absl::OkStatus();
  });
}

grpc::ServerWriteReactor<v1::WatchJobResponse>* JobService::WatchJob(
    grpc::CallbackServerContext* context, const v1::WatchJobRequest* request) {
  using Stream = PullStream<v1::WatchJobResponse>;
  constexpr int64_t kHeartbeatUs = 9'000'000;
  const absl::StatusOr<Caller> caller = Identify(*context, api_);
  if (!caller.ok()) return new FailedStream<v1::WatchJobResponse>(caller.status());
  struct State {
    int64_t revision, said_us = 0;
    std::string progress;
    bool first = true, ended = false;
  };
  auto state = std::make_shared<State>();
  state->revision = request->from_revision();
  const std::string name = request->name();
  const Caller who = *caller;
  auto stream = Stream::Make(api_.database, [=, this](SQLite::Database& db) -> Stream::Next {
    if (state->ended) return {.end = absl::OkStatus()};
    if (api_.stopping) return {.end = Identify(*context, api_).status()};
    absl::StatusOr<JobRow> row = LoadNamed(db, name, With::kAttempts);
    if (!row.ok()) return {.end = row.status()};
    Finish(row->job, who);
    const std::string progress = row->job.progress().SerializeAsString();
    const int64_t now_us = api_.clock.BootUs();
    const bool news = state->first || row->job.revision() > state->revision ||
                      progress != state->progress || now_us - state->said_us >= kHeartbeatUs;
    if (!news) return {};
    *state = {row->job.revision(), now_us, progress, false, IsTerminal(row->facts.state)};
    v1::WatchJobResponse message;
    *message.mutable_job() = std::move(row->job);
    return {.message = std::move(message)};
  });
  stream->Keep(std::make_shared<Hub::Ticket>(api_.hub.Subscribe(
      IdOf(name), [weak = std::weak_ptr<Stream>(stream)] {
        if (auto live = weak.lock()) live->Poke();
      })));
  stream->Poke();
  return stream.get();
}

grpc::ServerWriteReactor<v1::ReadJobLogResponse>* JobService::ReadJobLog(
    grpc::CallbackServerContext* context, const v1::ReadJobLogRequest* request) {
  using Stream = PullStream<v1::ReadJobLogResponse>;
  const absl::StatusOr<Caller> caller = Identify(*context, api_);
  if (!caller.ok()) return new FailedStream<v1::ReadJobLogResponse>(caller.status());
  if (request->offset() < 0) {
    return new FailedStream<v1::ReadJobLogResponse>(
        support::BadRequest({{"offset", "must not be negative"}}));
  }
  auto offset = std::make_shared<int64_t>(request->offset());
  const std::string name = request->name();
  const bool follow = request->follow();
  const Caller who = *caller;
  auto stream = Stream::Make(api_.database, [=, this](SQLite::Database& db) -> Stream::Next {
    // State first, bytes second: after the end no byte is added.
    const absl::StatusOr<JobRow> row = LoadNamed(db, name);
    if (!row.ok()) return {.end = row.status()};
    if (absl::Status s = RequireOwner(who, row->job.owner_uid()); !s.ok()) return {.end = s};
    absl::StatusOr<LogFiles::Piece> piece = api_.logs.Read(IdOf(name), *offset, 64 << 10);
    if (!piece.ok()) return {.end = piece.status()};
    if (!piece->data.empty()) {
      v1::ReadJobLogResponse message;
      message.set_offset(*offset);
      message.set_truncated(piece->truncated);
      *offset += static_cast<int64_t>(piece->data.size());
      message.set_data(std::move(piece->data));
      return {.message = std::move(message)};
    }
    if (!follow || IsTerminal(row->facts.state)) return {.end = absl::OkStatus()};
    if (api_.stopping) return {.end = Identify(*context, api_).status()};
    return {};
  });
  stream->Keep(std::make_shared<Hub::Ticket>(api_.hub.Subscribe(
      IdOf(name), [weak = std::weak_ptr<Stream>(stream)] {
        if (auto live = weak.lock()) live->Poke();
      })));
  stream->Poke();
  return stream.get();
}

grpc::ServerUnaryReactor* JobService::GetJobResult(grpc::CallbackServerContext* context,
                                                   const v1::GetJobResultRequest* request,
                                                   v1::GetJobResultResponse* response) {
  return ReadAndReply(context, api_, [=](SQLite::Database& db, const Caller& caller) {
    const absl::StatusOr<JobRow> row = LoadNamed(db, request->name());
    if (!row.ok()) return row.status();
    if (absl::Status s = RequireOwner(caller, row->job.owner_uid()); !s.ok()) return s;
    absl::StatusOr<v1::JobResult> result = LoadResult(db, *row);
    if (!result.ok()) return result.status();
    *response->mutable_result() = *std::move(result);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* JobService::RenderJobReport(grpc::CallbackServerContext* context,
                                                      const v1::RenderJobReportRequest* request,
                                                      v1::RenderJobReportResponse* response) {
  return ReadAndReply(context, api_, [=](SQLite::Database& db, const Caller& caller) {
    const absl::StatusOr<JobRow> row = LoadNamed(db, request->name(), With::kAttempts);
    if (!row.ok()) return row.status();
    if (absl::Status s = RequireOwner(caller, row->job.owner_uid()); !s.ok()) return s;
    const absl::StatusOr<v1::JobResult> result = LoadResult(db, *row);
    if (!result.ok()) return result.status();
    Report report = RenderReport(row->job, *result, request->format());
    response->set_file_name(std::move(report.file_name));
    response->set_content(std::move(report.content));
    return absl::OkStatus();
  });
}

template <class Decide>
grpc::ServerUnaryReactor* JobService::ChangeJob(grpc::CallbackServerContext* context,
                                                const std::string& name, v1::Job* out,
                                                Decide decide, const char* audit_action) {
  return WriteAndReply(
      context, api_,
      [=, this](SQLite::Database& db, const Caller& caller) -> absl::Status {
        absl::StatusOr<JobRow> row = LoadNamed(db, name);
        if (!row.ok()) return row.status();
        if (absl::Status s = RequireOwner(caller, row->job.owner_uid()); !s.ok()) return s;
        const absl::StatusOr<Change> change = decide(row->facts);
        if (!change.ok()) return change.status();
        const int64_t now_us = api_.clock.WallUs();
        ApplyChange(db, *row, *change, now_us);
        if (caller.uid != row->job.owner_uid()) {
          AddAudit(db, now_us, caller.uid, audit_action, name, "");
        }
        absl::StatusOr<JobRow> after = LoadNamed(db, name, With::kAttempts);
        if (!after.ok()) return after.status();
        *out = std::move(after->job);
        return absl::OkStatus();
      },
      [=, this] {
        if (out->cancel_requested()) api_.dispatcher.StopLease(IdOf(name));
        api_.hub.Publish(IdOf(name));
        api_.dispatcher.Kick();
      });
}

grpc::ServerUnaryReactor* JobService::CancelJob(grpc::CallbackServerContext* context,
                                                const v1::CancelJobRequest* request,
                                                v1::CancelJobResponse* response) {
  return ChangeJob(context, request->name(), response->mutable_job(), DecideCancel, "CANCEL_JOB");
}

grpc::ServerUnaryReactor* JobService::HoldJob(grpc::CallbackServerContext* context,
                                              const v1::HoldJobRequest* request,
                                              v1::HoldJobResponse* response) {
  return ChangeJob(context, request->name(), response->mutable_job(), DecideHold, "HOLD_JOB");
}

grpc::ServerUnaryReactor* JobService::ReleaseJob(grpc::CallbackServerContext* context,
                                                 const v1::ReleaseJobRequest* request,
                                                 v1::ReleaseJobResponse* response) {
  return ChangeJob(context, request->name(), response->mutable_job(), DecideRelease,
                   "RELEASE_JOB");
}

grpc::ServerUnaryReactor* JobService::RetryJob(grpc::CallbackServerContext* context,
                                               const v1::RetryJobRequest* request,
                                               v1::RetryJobResponse* response) {
  return WriteAndReply(
      context, api_,
      [=, this](SQLite::Database& db, const Caller& caller) -> absl::Status {
        const absl::StatusOr<JobRow> old = LoadNamed(db, request->name());
        if (!old.ok()) return old.status();
        if (absl::Status s = RequireOwner(caller, old->job.owner_uid()); !s.ok()) return s;
        if (!IsTerminal(old->facts.state)) {
          return support::ReasonError(absl::StatusCode::kFailedPrecondition,
                                      support::Reason::JOB_NOT_ENDED,
                                      absl::StrCat(request->name(), " is still ",
                                                   StateName(old->facts.state)));
        }
        Admission admission;
        admission.uid = old->job.owner_uid();
        admission.spec = old->job.spec();
        admission.spec.set_hold(false);
        admission.request_id = request->request_id();
        admission.request_digest = support::Sha256Hex(request->name());
        admission.retry_of = request->name();
        admission.now_us = api_.clock.WallUs();
        admission.queued_jobs_limit = api_.queued_jobs;
        const absl::StatusOr<std::string> id = Admit(db, admission);
        if (!id.ok()) return id.status();
        absl::StatusOr<JobRow> row = LoadJob(db, *id);
        if (!row.ok()) return row.status();
        *response->mutable_job() = std::move(row->job);
        return absl::OkStatus();
      },
      [this] { api_.dispatcher.Kick(); });
}

grpc::ServerUnaryReactor* JobService::ExplainJob(grpc::CallbackServerContext* context,
                                                 const v1::ExplainJobRequest* request,
                                                 v1::ExplainJobResponse* response) {
  return ReadAndReply(context, api_, [=, this](SQLite::Database& db, const Caller& caller) {
    absl::StatusOr<JobRow> row = LoadNamed(db, request->name());
    if (!row.ok()) return row.status();
    WaitFacts facts;
    const std::string device = row->job.spec().device();
    const Dispatcher::Live live = api_.dispatcher.LiveOf(device);
    const auto known = LoadDevice(db, absl::StrCat("devices/", device));
    facts.device_known = known.ok();
    facts.device_online = live.online;
    facts.device_drained = known.ok() && known->drained();
    facts.drain_reason = known.ok() ? known->drain_reason() : "";
    facts.pause_reason = PauseReason(db);
    const Ahead ahead = JobsAhead(db, *row);
    facts.jobs_ahead = ahead.jobs;
    facts.next_in_front = ahead.first;
    if (!live.job.empty()) facts.running_job = absl::StrCat("jobs/", live.job);
    Finish(row->job, caller);
    facts.job = std::move(row->job);
    *response = Explain(facts);
    return absl::OkStatus();
  });
}

}  // namespace kernelopt::server
