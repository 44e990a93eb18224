#include "api/system_service.h"

#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "api/device_service.h"
#include "google/protobuf/util/time_util.h"
#include "store/catalog.h"
#include "store/jobs.h"
#include "support/capability.h"

namespace kernelopt::server {
namespace {

using google::protobuf::util::TimeUtil;

v1::Capability DiskCapability(const std::string& directory) {
  struct statvfs fs {};
  if (statvfs(directory.c_str(), &fs) != 0) {
    return support::Capable("state.disk", false, absl::StrCat("cannot look at ", directory));
  }
  const double free_gib = static_cast<double>(fs.f_bavail) * static_cast<double>(fs.f_frsize) / (1 << 30);
  return support::Capable("state.disk", free_gib > 1.0,
             absl::StrFormat("%.1f GiB free in %s%s", free_gib, directory,
                             free_gib > 1.0 ? "" : "; free some space"));
}

}  // namespace

grpc::ServerUnaryReactor* SystemService::GetStatus(grpc::CallbackServerContext* context,
                                                   const v1::GetStatusRequest*,
                                                   v1::GetStatusResponse* response) {
  return ReadAndReply(context, api_, [=, this](SQLite::Database& db, const Caller& caller) {
    for (v1::StateCount& count : JobCounts(db)) *response->add_counts() = std::move(count);
    for (v1::Device& device : LoadDevices(db)) {
      AddLive(device, api_.dispatcher);
      device.clear_capabilities();
      *response->add_devices() = std::move(device);
    }
    response->set_paused(PauseReason(db).has_value());
    response->set_version(KOPT_VERSION);
    *response->mutable_start_time() = TimeUtil::MicrosecondsToTimestamp(api_.start_us);
    response->set_caller_uid(caller.uid);
    response->set_caller_role(RoleName(caller.role));
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* SystemService::GetCapabilities(grpc::CallbackServerContext* context,
                                                         const v1::GetCapabilitiesRequest*,
                                                         v1::GetCapabilitiesResponse* response) {
  return ReadAndReply(context, api_, [=, this](SQLite::Database& db, const Caller&) {
    const Database::Groups groups = api_.database.groups();
    *response->add_daemon() =
        support::Capable("store.sqlite", true,
            absl::StrCat("SQLite ", sqlite3_libversion(), ", WAL, synchronous=FULL, one writer; ",
                         groups.items, " changes in ", groups.commits, " commits"));
    *response->add_daemon() = DiskCapability(api_.state_directory);
    *response->add_daemon() =
        support::Capable("workers", api_.dispatcher.AnyOnline(),
            api_.dispatcher.AnyOnline() ? "attached" : "none attached; see <state>/logs/worker-*.log");
    for (v1::Device& device : LoadDevices(db)) {
      AddLive(device, api_.dispatcher);
      *response->add_devices() = std::move(device);
    }
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* SystemService::Backup(grpc::CallbackServerContext* context,
                                                const v1::BackupRequest*,
                                                v1::BackupResponse* response) {
  return ReadAndReply(context, api_, [=, this](SQLite::Database& db, const Caller& caller) {
    if (absl::Status s = RequireAdmin(caller); !s.ok()) return s;
    const std::string name = absl::StrCat("kernelopt-", api_.clock.WallUs(), ".db");
    const std::string path = absl::StrCat(api_.state_directory, "/backups/", name);
    SQLite::Database copy(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    SQLite::Backup backup(copy, db);
    while (backup.executeStep(256) == SQLITE_OK) {
    }
    struct stat info {};
    if (stat(path.c_str(), &info) != 0) return support::ErrnoStatus("stat", path);
    response->set_file_name(name);
    response->set_size(static_cast<int64_t>(info.st_size));
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* SystemService::PauseQueue(grpc::CallbackServerContext* context,
                                                    const v1::PauseQueueRequest* request,
                                                    v1::PauseQueueResponse*) {
  return WriteAndReply(context, api_, [=, this](SQLite::Database& db, const Caller& caller) {
    if (absl::Status s = RequireOperator(caller); !s.ok()) return s;
    SetPause(db, request->reason());
    AddAudit(db, api_.clock.WallUs(), caller.uid, "PAUSE_QUEUE", "queue", request->reason());
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* SystemService::ResumeQueue(grpc::CallbackServerContext* context,
                                                     const v1::ResumeQueueRequest*,
                                                     v1::ResumeQueueResponse*) {
  return WriteAndReply(
      context, api_,
      [=, this](SQLite::Database& db, const Caller& caller) {
        if (absl::Status s = RequireOperator(caller); !s.ok()) return s;
        SetPause(db, std::nullopt);
        AddAudit(db, api_.clock.WallUs(), caller.uid, "RESUME_QUEUE", "queue", "");
        return absl::OkStatus();
      },
      [this] { api_.dispatcher.Kick(); });
}

grpc::ServerUnaryReactor* SystemService::GetQuota(grpc::CallbackServerContext* context,
                                                  const v1::GetQuotaRequest* request,
                                                  v1::GetQuotaResponse* response) {
  return ReadAndReply(context, api_, [=, this](SQLite::Database& db, const Caller& caller) {
    const uint32_t uid = request->has_uid() ? request->uid() : caller.uid;
    if (uid != caller.uid) {
      if (absl::Status s = RequireOperator(caller); !s.ok()) return s;
    }
    response->set_uid(uid);
    response->set_queued_jobs_limit(QueuedJobsLimit(db, uid).value_or(api_.queued_jobs));
    response->set_queued_jobs(CountLiveJobs(db, uid));
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* SystemService::SetQuota(grpc::CallbackServerContext* context,
                                                  const v1::SetQuotaRequest* request,
                                                  v1::SetQuotaResponse*) {
  return WriteAndReply(context, api_, [=, this](SQLite::Database& db, const Caller& caller) {
    if (absl::Status s = RequireAdmin(caller); !s.ok()) return s;
    if (request->queued_jobs_limit() < 0) {
      return support::BadRequest({{"queued_jobs_limit", "must not be negative; 0 means no limit"}});
    }
    SetQueuedJobsLimit(db, request->uid(), request->queued_jobs_limit());
    AddAudit(db, api_.clock.WallUs(), caller.uid, "SET_QUOTA", absl::StrCat("uid ", request->uid()),
             absl::StrCat("queued_jobs_limit=", request->queued_jobs_limit()));
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* SystemService::ListAuditEvents(grpc::CallbackServerContext* context,
                                                         const v1::ListAuditEventsRequest* request,
                                                         v1::ListAuditEventsResponse* response) {
  return ReadAndReply(context, api_, [=](SQLite::Database& db, const Caller& caller) {
    if (absl::Status s = RequireOperator(caller); !s.ok()) return s;
    return ListAudit(db, *request, *response);
  });
}

}  // namespace kernelopt::server
