#include "api/worker_service.h"

#include <deque>

#include "support/mutex.h"

namespace kernelopt::server {
namespace {

using support::MutexLock;
using Base = grpc::ServerBidiReactor<v1::AttachRequest, v1::AttachResponse>;

constexpr char kTokenKey[] = "x-kopt-worker-token";

absl::Status CheckWorker(const grpc::CallbackServerContext& context, const ApiContext& api) {
  const absl::StatusOr<Caller> caller = Identify(context, api);
  if (!caller.ok()) return caller.status();
  if (!MayBeWorker(caller->uid, api.roles)) {
    return support::ReasonError(absl::StatusCode::kPermissionDenied, support::Reason::NOT_A_WORKER,
                                "this uid may not attach as a worker (auth.worker_uids)");
  }
  const auto token = context.client_metadata().find(kTokenKey);
  if (token == context.client_metadata().end() ||
      std::string(token->second.data(), token->second.size()) != api.worker_token) {
    return support::ReasonError(absl::StatusCode::kUnauthenticated,
                                support::Reason::BAD_WORKER_TOKEN,
                                "the worker token is not that of <state>/worker.token");
  }
  return absl::OkStatus();
}

// One attached worker. The link that dispatch holds and the reactor that gRPC
// holds are the same object, kept alive by both.
class Link final : public Base, public WorkerLink, public std::enable_shared_from_this<Link> {
 public:
  explicit Link(ApiContext& api) : api_(api) {}

  void Begin(const absl::Status& allowed) {
    self_ = shared_from_this();
    if (!allowed.ok()) return End(allowed);
    StartRead(&request_);
  }

  void Send(const v1::AttachResponse& message) override {
    MutexLock lock(mutex_);
    if (over_) return;
    outbox_.push_back(message);
    WriteNext();
  }

  void OnReadDone(bool ok) override {
    if (!ok) return End(absl::OkStatus());
    if (attached_) {
      api_.dispatcher.OnMessage(this, request_);
      StartRead(&request_);
      return;
    }
    if (!request_.has_hello()) {
      return End(support::BadRequest({{"message", "the first message must be hello"}}));
    }
    api_.dispatcher.Attach(shared_from_this(), request_.hello(),
                           [self = shared_from_this()](absl::StatusOr<v1::Welcome> welcome) {
                             self->OnAttached(std::move(welcome));
                           });
  }

  void OnWriteDone(bool ok) override {
    MutexLock lock(mutex_);
    writing_ = false;
    outbox_.pop_front();
    if (ok && !over_) WriteNext();
  }

  void OnCancel() override { End(absl::CancelledError("the worker went away")); }

  void OnDone() override {
    api_.dispatcher.Detach(this);
    self_.reset();  // may destroy this
  }

 private:
  void OnAttached(absl::StatusOr<v1::Welcome> welcome) {
    if (!welcome.ok()) return End(welcome.status());
    v1::AttachResponse message;
    *message.mutable_welcome() = *std::move(welcome);
    {
      // Under the lock that End takes before it finishes: a read begun here
      // holds OnDone back, none is begun on a call that is over.
      MutexLock lock(mutex_);
      if (!over_) {
        attached_ = true;
        outbox_.push_front(message);
        WriteNext();
        StartRead(&request_);
        return;
      }
    }
    // The worker left while it was being attached; OnDone came too early for it.
    api_.dispatcher.Detach(this);
  }

  void WriteNext() KOPT_REQUIRES(mutex_) {
    if (writing_ || outbox_.empty()) return;
    writing_ = true;
    StartWrite(&outbox_.front());
  }

  void End(const absl::Status& status) {
    {
      MutexLock lock(mutex_);
      if (over_) return;
      over_ = true;
    }
    Finish(support::ToGrpc(status));
  }

  ApiContext& api_;
  v1::AttachRequest request_;
  bool attached_ = false;  // read side only
  std::shared_ptr<Link> self_;
  support::Mutex mutex_;
  std::deque<v1::AttachResponse> outbox_ KOPT_GUARDED_BY(mutex_);
  bool writing_ KOPT_GUARDED_BY(mutex_) = false;
  bool over_ KOPT_GUARDED_BY(mutex_) = false;
};

}  // namespace

Base* WorkerService::Attach(grpc::CallbackServerContext* context) {
  auto link = std::make_shared<Link>(api_);
  link->Begin(CheckWorker(*context, api_));
  return link.get();
}

}  // namespace kernelopt::server
