// A server stream whose next message is made on a reader thread.
//
// The producer is asked again after each message was written, and after each
// Poke while it had nothing. It deletes itself when gRPC is done with it.
// Poke is thread-safe and may come at any time.
#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <optional>

#include "store/database.h"
#include "support/mutex.h"
#include "support/status.h"

namespace kernelopt::server {

template <class Response>
class PullStream : public grpc::ServerWriteReactor<Response>,
                   public std::enable_shared_from_this<PullStream<Response>> {
 public:
  // A message; nothing yet (both empty); or the end (`end` set).
  struct Next {
    std::optional<Response> message;
    std::optional<absl::Status> end;
  };
  using Producer = std::function<Next(SQLite::Database&)>;

  // `keep` is dropped when the stream is over, for example a Hub::Ticket.
  static std::shared_ptr<PullStream> Make(Database& database, Producer producer) {
    auto stream = std::shared_ptr<PullStream>(new PullStream(database, std::move(producer)));
    stream->self_ = stream;
    return stream;
  }
  void Keep(std::shared_ptr<void> keep) { keep_ = std::move(keep); }

  void Poke() {
    {
      support::MutexLock lock(mutex_);
      if (over_) return;
      if (busy_) {
        again_ = true;
        return;
      }
      busy_ = true;
    }
    Pull();
  }

  void OnWriteDone(bool ok) override {
    if (!ok) return End(absl::CancelledError("the client went away"));
    Pull();
  }

  void OnCancel() override {
    {
      support::MutexLock lock(mutex_);
      cancelled_ = true;
      if (over_ || busy_) return;  // the pull or write under way will see it
      busy_ = true;
    }
    End(absl::CancelledError("the client went away"));
  }

  void OnDone() override {
    keep_.reset();
    self_.reset();  // may destroy this
  }

 private:
  PullStream(Database& database, Producer producer)
      : database_(database), producer_(std::move(producer)) {}

  // Only one pull, write or finish is under way at a time: `busy_` says so.
  void Pull() {
    {
      support::MutexLock lock(mutex_);
      again_ = false;
    }
    auto next = std::make_shared<Next>();
    database_.Read(
        [self = this->shared_from_this(), next](SQLite::Database& db) {
          *next = self->producer_(db);
          return absl::OkStatus();
        },
        [self = this->shared_from_this(), next](const absl::Status& status) {
          self->OnPulled(status, *next);
        });
  }

  void OnPulled(const absl::Status& status, Next& next) {
    bool cancelled = false, again = false;
    {
      support::MutexLock lock(mutex_);
      cancelled = cancelled_;
      again = again_;
      if (status.ok() && !next.message && !next.end && !cancelled && !again) busy_ = false;
    }
    if (cancelled) return End(absl::CancelledError("the client went away"));
    if (!status.ok()) return End(status);
    if (next.end) return End(*next.end);
    if (next.message) {
      message_ = std::move(*next.message);
      this->StartWrite(&message_);
      return;
    }
    if (again) Pull();
  }

  void End(const absl::Status& status) {
    {
      support::MutexLock lock(mutex_);
      if (over_) return;
      over_ = true;
    }
    this->Finish(support::ToGrpc(status));
  }

  Database& database_;
  const Producer producer_;
  Response message_;
  std::shared_ptr<void> keep_;
  std::shared_ptr<PullStream> self_;
  support::Mutex mutex_;
  bool busy_ KOPT_GUARDED_BY(mutex_) = false;
  bool again_ KOPT_GUARDED_BY(mutex_) = false;
  bool cancelled_ KOPT_GUARDED_BY(mutex_) = false;
  bool over_ KOPT_GUARDED_BY(mutex_) = false;
};

}  // namespace kernelopt::server
