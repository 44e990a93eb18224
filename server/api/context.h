// What every service needs, and the three shapes a unary call has.
//
// A handler never blocks: it identifies the caller and hands its work to a
// reader or to the writer; the reactor is finished from there. Request and
// response of a callback call stay valid until then.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "auth/roles.h"
#include "auth/seats.h"
#include "blobs/blob_files.h"
#include "dispatch/dispatcher.h"
#include "dispatch/hub.h"
#include "logs/log_files.h"
#include "metrics/metrics.h"
#include "queue/spec_check.h"
#include "store/database.h"
#include "store/disk_room.h"
#include "support/clock.h"
#include "support/status.h"

namespace kernelopt::server {

// Borrowed by all services; outlives them.
struct ApiContext {
  Database& database;
  Dispatcher& dispatcher;
  Hub& hub;
  BlobFiles& blobs;
  LogFiles& logs;
  const support::Clock& clock;
  DiskRoom& disk;
  Metrics& metrics;
  RoleTable roles;
  SpecLimits spec_limits;
  QueuePolicy policy;
  int64_t blob_bytes = 0;
  std::string state_directory, worker_token;
  std::string signing_key;  // its public part
  int64_t start_us = 0;
  std::atomic<bool> stopping{false};
};

// UNAUTHENTICATED NO_IDENTITY, PERMISSION_DENIED NOT_A_USER, UNAVAILABLE
// SHUTTING_DOWN.
inline absl::StatusOr<Caller> Identify(const grpc::CallbackServerContext& context,
                                       const ApiContext& api) {
  if (api.stopping) {
    return support::ReasonError(absl::StatusCode::kUnavailable, support::Reason::SHUTTING_DOWN,
                                "kernelopt-d is stopping; try again in a moment");
  }
  const auto auth = context.auth_context();
  const std::optional<uint32_t> uid = auth ? PeerUid(*auth) : std::nullopt;
  if (!uid) {
    return support::ReasonError(absl::StatusCode::kUnauthenticated, support::Reason::NO_IDENTITY,
                                "this connection does not tell who you are; use the Unix socket");
  }
  const Role role = PeerRole(*auth);
  if (role == Role::kNone) {
    return support::ReasonError(absl::StatusCode::kPermissionDenied, support::Reason::NOT_A_USER,
                                absl::StrCat("uid ", *uid, " may not use kernelopt-d: it is in none "
                                             "of the groups of auth.user_groups"));
  }
  return Caller{*uid, role};
}

inline grpc::ServerUnaryReactor* Reply(grpc::CallbackServerContext* context,
                                       const absl::Status& status) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(support::ToGrpc(status));
  return reactor;
}

using CallWork = std::function<absl::Status(SQLite::Database&, const Caller&)>;

// Runs `work` on one of the database's lanes; then calls `after` (when OK) and
// replies.
inline grpc::ServerUnaryReactor* RunAndReply(grpc::CallbackServerContext* context, ApiContext& api,
                                             void (Database::*lane)(Database::Work, Database::Done),
                                             CallWork work, std::function<void()> after = nullptr) {
  const absl::StatusOr<Caller> caller = Identify(*context, api);
  if (!caller.ok()) return Reply(context, caller.status());
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  (api.database.*lane)(
      [work = std::move(work), caller = *caller](SQLite::Database& db) { return work(db, caller); },
      [reactor, after = std::move(after)](const absl::Status& status) {
        if (status.ok() && after) after();
        reactor->Finish(support::ToGrpc(status));
      });
  return reactor;
}

// `work` on a reader thread.
inline grpc::ServerUnaryReactor* ReadAndReply(grpc::CallbackServerContext* context,
                                              ApiContext& api, CallWork work) {
  return RunAndReply(context, api, &Database::Read, std::move(work));
}

// The same for work that takes long: others' reads do not wait for it.
inline grpc::ServerUnaryReactor* ReadLongAndReply(grpc::CallbackServerContext* context,
                                                  ApiContext& api, CallWork work) {
  return RunAndReply(context, api, &Database::ReadLong, std::move(work));
}

// `work` in the writer's transaction, `committed` after its commit.
inline grpc::ServerUnaryReactor* WriteAndReply(grpc::CallbackServerContext* context,
                                               ApiContext& api, CallWork work,
                                               std::function<void()> committed = nullptr) {
  return RunAndReply(context, api, &Database::Write, std::move(work), std::move(committed));
}

}  // namespace kernelopt::server
