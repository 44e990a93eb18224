#include "api/job_service.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "api/pull_stream.h"
#include "api/waiting.h"
#include "queue/admit.h"
#include "reports/report.h"
#include "store/archive.h"
#include "store/jobs.h"
#include "store/page.h"
#include "store/switches.h"
#include "support/ids.h"
#include "support/sha256.h"

namespace kernelopt::server {
namespace {

absl::StatusOr<JobRow> LoadNamed(SQLite::Database& db, const std::string& name,
                                 With with = With::kRow) {
  const absl::StatusOr<std::string> id = support::ParseName(name, "jobs");
  if (!id.ok()) return support::BadRequest({{"name", std::string(id.status().message())}});
  return LoadJob(db, *id, with);
}

// Loads a job from where it is, live or archived, and hands that database on.
template <class Use>
absl::Status WithJob(SQLite::Database& db, const ApiContext& api, const std::string& name, Use use) {
  absl::StatusOr<JobRow> row = LoadNamed(db, name, With::kAttempts);
  if (row.ok()) return use(db, *row);
  const std::optional<std::string> file =
      absl::IsNotFound(row.status()) ? ArchiveOf(db, support::IdOf(name)) : std::nullopt;
  if (!file) return row.status();
  const std::string path = absl::StrCat(api.state_directory, "/archive/", *file);
  if (access(path.c_str(), R_OK) != 0) {
    return support::ReasonError(absl::StatusCode::kNotFound, support::Reason::JOB_NOT_FOUND,
                                absl::StrCat(name, " was archived in ", path,
                                             ", which is not there any more"),
                                {{"job", name}, {"archive", *file}});
  }
  SQLite::Database archive(path, SQLite::OPEN_READONLY);
  row = LoadNamed(archive, name, With::kAttempts);
  return row.ok() ? use(archive, *row) : row.status();
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
  *job.mutable_progress() = api_.hub.ProgressOf(support::IdOf(job.name()));
  if (RequireOwner(caller, job.owner_uid()).ok()) return;
  v1::JobSpec visible;
  visible.set_kind(job.spec().kind());
  visible.set_device(job.spec().device());
  visible.set_priority(job.spec().priority());
  if (job.spec().has_not_before()) *visible.mutable_not_before() = job.spec().not_before();
  *job.mutable_spec() = visible;
  job.clear_summary();
  job.clear_state_message();
  job.mutable_progress()->clear_message();
}

grpc::ServerUnaryReactor* JobService::CreateJob(grpc::CallbackServerContext* context,
                                                const v1::CreateJobRequest* request,
                                                v1::CreateJobResponse* response) {
  if (absl::Status s = CheckSpec(request->spec(), api_.spec_limits); !s.ok()) {
    return Reply(context, s);
  }
  if (absl::Status s = api_.disk.Check(); !s.ok()) return Reply(context, s);
  Admission admission;
  admission.spec = WithDefaults(request->spec(), api_.spec_limits);
  admission.request_id = request->request_id();
  admission.request_digest = support::Sha256Hex(request->spec().SerializeAsString());
  admission.now_us = api_.clock.WallUs();
  const std::string device = admission.spec.device();
  return WriteAndReply(
      context, api_,
      [=, this](SQLite::Database& db, const Caller& caller) -> absl::Status {
        Admission mine = admission;
        mine.uid = caller.uid;
        const absl::StatusOr<std::string> id = Admit(db, mine, api_.policy);
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
    return WithJob(db, api_, request->name(), [&](SQLite::Database&, JobRow& row) {
      Finish(row.job, caller);
      *response->mutable_job() = std::move(row.job);
      return absl::OkStatus();
    });
  });
}

grpc::ServerUnaryReactor* JobService::ListJobs(grpc::CallbackServerContext* context,
                                               const v1::ListJobsRequest* request,
                                               v1::ListJobsResponse* response) {
  return ReadAndReply(context, api_, [=, this](SQLite::Database& db, const Caller& caller) {
    absl::StatusOr<JobPage> page = ListJobRows(
        db, *request, caller.uid,
        caller.role >= Role::kOperator ? std::nullopt : std::optional<uint32_t>(caller.uid));
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
      support::IdOf(name), [weak = std::weak_ptr<Stream>(stream)] {
        if (auto live = weak.lock()) live->Poke();
      })));
  stream->Poke();
  return stream.get();
}

grpc::ServerWriteReactor<v1::ReadJobLogResponse>* JobService::ReadJobLog(
    grpc::CallbackServerContext* context, const v1::ReadJobLogRequest* request) {
  using Stream = PullStream<v1::ReadJobLogResponse>;
  constexpr size_t kPiece = 64 << 10;
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
    bool ended = false;
    absl::StatusOr<LogFiles::Piece> piece = LogFiles::Piece{};
    const absl::Status found = WithJob(db, api_, name, [&](SQLite::Database& home, const JobRow& row) {
      if (absl::Status s = RequireOwner(who, row.job.owner_uid()); !s.ok()) return s;
      ended = IsTerminal(row.facts.state);
      if (&home == &db) {
        piece = api_.logs.Read(support::IdOf(name), *offset, kPiece);
      } else {
        const std::string log = ArchivedLog(home, support::IdOf(name));
        piece->data = log.substr(std::min(log.size(), static_cast<size_t>(*offset)), kPiece);
      }
      return piece.status();
    });
    if (!found.ok()) return {.end = found};
    if (!piece->data.empty()) {
      v1::ReadJobLogResponse message;
      message.set_offset(*offset);
      message.set_truncated(piece->truncated);
      *offset += static_cast<int64_t>(piece->data.size());
      message.set_data(std::move(piece->data));
      return {.message = std::move(message)};
    }
    if (!follow || ended) return {.end = absl::OkStatus()};
    if (api_.stopping) return {.end = Identify(*context, api_).status()};
    return {};
  });
  stream->Keep(std::make_shared<Hub::Ticket>(api_.hub.Subscribe(
      support::IdOf(name), [weak = std::weak_ptr<Stream>(stream)] {
        if (auto live = weak.lock()) live->Poke();
      })));
  stream->Poke();
  return stream.get();
}

grpc::ServerUnaryReactor* JobService::GetJobResult(grpc::CallbackServerContext* context,
                                                   const v1::GetJobResultRequest* request,
                                                   v1::GetJobResultResponse* response) {
  return ReadAndReply(context, api_, [=, this](SQLite::Database& db, const Caller& caller) {
    return WithJob(db, api_, request->name(), [&](SQLite::Database& home, const JobRow& row) {
      if (absl::Status s = RequireOwner(caller, row.job.owner_uid()); !s.ok()) return s;
      absl::StatusOr<v1::JobResult> result = LoadResult(home, row);
      if (result.ok()) *response->mutable_result() = *std::move(result);
      return result.status();
    });
  });
}

grpc::ServerUnaryReactor* JobService::RenderJobReport(grpc::CallbackServerContext* context,
                                                      const v1::RenderJobReportRequest* request,
                                                      v1::RenderJobReportResponse* response) {
  return ReadAndReply(context, api_, [=, this](SQLite::Database& db, const Caller& caller) {
    return WithJob(db, api_, request->name(), [&](SQLite::Database& home, const JobRow& row) {
      if (absl::Status s = RequireOwner(caller, row.job.owner_uid()); !s.ok()) return s;
      const absl::StatusOr<v1::JobResult> result = LoadResult(home, row);
      if (!result.ok()) return result.status();
      Report report = RenderReport(row.job, *result, request->format());
      response->set_file_name(std::move(report.file_name));
      response->set_content(std::move(report.content));
      return absl::OkStatus();
    });
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
        const support::Instant now = api_.clock.Now();
        ApplyChange(db, *row, *change, now, caller.uid);
        if (caller.uid != row->job.owner_uid()) {
          AddAudit(db, now.wall_us, caller.uid, audit_action, name, "");
        }
        absl::StatusOr<JobRow> after = LoadNamed(db, name, With::kAttempts);
        if (!after.ok()) return after.status();
        *out = std::move(after->job);
        return absl::OkStatus();
      },
      [=, this] {
        if (out->cancel_requested()) api_.dispatcher.StopLease(support::IdOf(name));
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
  if (absl::Status s = api_.disk.Check(); !s.ok()) return Reply(context, s);
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
        admission.spec.clear_after();
        admission.spec.clear_not_before();
        admission.request_id = request->request_id();
        admission.request_digest = support::Sha256Hex(request->name());
        admission.retry_of = request->name();
        admission.now_us = api_.clock.WallUs();
        const absl::StatusOr<std::string> id = Admit(db, admission, api_.policy);
        if (!id.ok()) return id.status();
        if (caller.uid != admission.uid) {
          AddAudit(db, admission.now_us, caller.uid, "RETRY_JOB", request->name(), "as jobs/" + *id);
        }
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
    Finish(row->job, caller);
    *response = WaitingRoom(db, api_, caller).Explain(*row);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* JobService::ListQueue(grpc::CallbackServerContext* context,
                                                const v1::ListQueueRequest* request,
                                                v1::ListQueueResponse* response) {
  const absl::StatusOr<int> size = PageSize(request->page_size());
  if (!size.ok()) return Reply(context, size.status());
  return ReadAndReply(context, api_, [=, this](SQLite::Database& db, const Caller& caller) {
    WaitingRoom room(db, api_, caller);
    response->set_pause_reason(room.pause_reason().value_or(""));
    const auto add = [&](int64_t id, int64_t position) {
      response->set_total(response->total() + 1);
      if (response->entries_size() >= *size) return;
      JobRow row = LoadJobById(db, id);
      const v1::ExplainJobResponse why = room.Explain(row);
      Finish(row.job, caller);
      v1::QueueEntry& entry = *response->add_entries();
      *entry.mutable_job() = std::move(row.job);
      entry.set_position(position);
      entry.set_reason(why.reason());
      if (why.has_estimated_start_time()) {
        *entry.mutable_estimated_start_time() = why.estimated_start_time();
      }
    };
    std::set<int64_t> in_line;
    for (const std::string& device : WaitingDevices(db, request->device())) {
      const std::vector<Waiting>& order = room.Order(device);
      for (size_t i = 0; i < order.size(); ++i) {
        in_line.insert(order[i].id);
        add(order[i].id, static_cast<int64_t>(i) + 1);
      }
    }
    for (const int64_t id : WaitingJobs(db, request->device())) {
      if (in_line.count(id) == 0) add(id, 0);
    }
    return absl::OkStatus();
  });
}

}  // namespace kernelopt::server
