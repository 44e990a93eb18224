#include "api/system_service.h"

#include <sqlite3.h>

#include <algorithm>
#include <filesystem>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "api/waiting.h"
#include "google/protobuf/util/time_util.h"
#include "store/accounts.h"
#include "store/archive.h"
#include "store/switches.h"
#include "support/capability.h"
#include "support/ed25519.h"

namespace kernelopt::server {
namespace {

using google::protobuf::util::TimeUtil;

// Backups matter to those who run a box for others: never a `no`.
v1::Capability NewestBackup(const std::string& state, int64_t now_us) {
  int64_t newest_us = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(state + "/backups", error)) {
    int64_t time_us = 0;
    const std::string stem = entry.path().stem();
    if (absl::SimpleAtoi(stem.substr(stem.find('-') + 1), &time_us)) {
      newest_us = std::max(newest_us, time_us);
    }
  }
  return support::Capable(
      "state.backup", true,
      newest_us == 0 ? "none yet; `koptctl admin backup` makes one"
                     : absl::StrFormat("newest is %.1f days old",
                                       static_cast<double>(now_us - newest_us) / 86400e6));
}


}  // namespace

grpc::ServerUnaryReactor* SystemService::GetStatus(grpc::CallbackServerContext* context,
                                                   const v1::GetStatusRequest*,
                                                   v1::GetStatusResponse* response) {
  return ReadAndReply(context, api_, [=, this](SQLite::Database& db, const Caller& caller) {
    for (v1::StateCount& count : JobCounts(db)) *response->add_counts() = std::move(count);
    for (v1::Device& device : LiveDevices(db, api_)) {
      device.clear_capabilities();
      *response->add_devices() = std::move(device);
    }
    const std::optional<std::string> paused = PauseReason(db);
    response->set_paused(paused.has_value());
    response->set_pause_reason(paused.value_or(""));
    response->set_refusing_reason(std::string(api_.disk.Check().message()));
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
    const absl::Status room = api_.disk.Check();
    *response->add_daemon() = support::Capable("results.signed", true, absl::StrCat("Ed25519, key ", support::KeyId(api_.signing_key)));
    *response->add_daemon() = support::Capable(
        "state.disk", room.ok(),
        room.ok() ? absl::StrFormat("%.1f GiB free in %s",
                                    static_cast<double>(api_.disk.free_bytes()) / (1 << 30),
                                    api_.state_directory)
                  : std::string(room.message()));
    *response->add_daemon() = NewestBackup(api_.state_directory, api_.clock.WallUs());
    *response->add_daemon() =
        support::Capable("workers", api_.dispatcher.AnyOnline(),
            api_.dispatcher.AnyOnline() ? "attached" : "none attached; see <state>/logs/worker-*.log");
    for (v1::Device& device : LiveDevices(db, api_)) {
      *response->add_devices() = std::move(device);
    }
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* SystemService::Backup(grpc::CallbackServerContext* context,
                                                const v1::BackupRequest*,
                                                v1::BackupResponse* response) {
  return ReadLongAndReply(context, api_, [=, this](SQLite::Database& db, const Caller& caller) {
    if (absl::Status s = RequireAdmin(caller); !s.ok()) return s;
    const std::string name = absl::StrCat("kernelopt-", api_.clock.WallUs(), ".db");
    const std::string path = absl::StrCat(api_.state_directory, "/backups/", name);
    const absl::StatusOr<int64_t> size = CopyAndCheck(db, path);
    if (!size.ok()) return size.status();
    response->set_file_name(name);
    response->set_size(*size);
    return api_.database.WriteAndWait([=, this](SQLite::Database& writer) {
      AddAudit(writer, api_.clock.WallUs(), caller.uid, "BACKUP", "backups/" + name, "");
      return absl::OkStatus();
    });
  });
}

grpc::ServerUnaryReactor* SystemService::ArchiveJobs(grpc::CallbackServerContext* context,
                                                     const v1::ArchiveJobsRequest* request,
                                                     v1::ArchiveJobsResponse* response) {
  const int64_t before_us = TimeUtil::TimestampToMicroseconds(request->ended_before());
  if (before_us <= 0 || before_us > api_.clock.WallUs()) {
    return Reply(context, support::BadRequest({{"ended_before", "must be a time in the past"}}));
  }
  return ReadLongAndReply(context, api_, [=, this](SQLite::Database& db, const Caller& caller) {
    if (absl::Status s = RequireAdmin(caller); !s.ok()) return s;
    const absl::StatusOr<Archived> moved =
        ArchiveEnded(api_.database, db, api_.blobs, api_.logs,
                     {api_.state_directory + "/archive", before_us, caller.uid, api_.clock.WallUs()});
    if (!moved.ok()) return moved.status();
    response->set_jobs(moved->jobs);
    response->set_file_name(moved->file);
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
    *response = DescribeQuota(db, uid, api_.policy, api_.clock.WallUs());
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* SystemService::SetQuota(grpc::CallbackServerContext* context,
                                                  const v1::SetQuotaRequest* request,
                                                  v1::SetQuotaResponse*) {
  constexpr int64_t kMostLimit = int64_t{1} << 50;
  std::map<std::string, std::string> bad;
  v1::Quota scratch;
  for (const auto& [name, value] : request->limits()) {
    if (!SetQuotaField(scratch, name, value)) {
      bad["limits"] = absl::StrCat("\"", name, "\" is not a limit; there are ",
                                   absl::StrJoin(QuotaNames(), ", "));
    } else if (value < 0 || value > kMostLimit || (value == 0 && name == "share_percent")) {
      bad["limits"] = absl::StrCat(name, " must not be ", value,
                                   name == "share_percent" ? "" : "; 0 means no limit");
    }
  }
  for (const std::string& name : request->reset()) {
    if (!SetQuotaField(scratch, name, 0)) bad["reset"] = absl::StrCat("\"", name, "\" is not a limit");
  }
  if (!bad.empty()) return Reply(context, support::BadRequest(bad));
  return WriteAndReply(
      context, api_,
      [=, this](SQLite::Database& db, const Caller& caller) {
        if (absl::Status s = RequireAdmin(caller); !s.ok()) return s;
        std::string detail;
        for (const auto& [name, value] : request->limits()) {
          SetLimit(db, request->uid(), name, value);
          absl::StrAppend(&detail, detail.empty() ? "" : " ", name, "=", value);
        }
        for (const std::string& name : request->reset()) {
          ResetLimit(db, request->uid(), name);
          absl::StrAppend(&detail, detail.empty() ? "" : " ", name, "=default");
        }
        AddAudit(db, api_.clock.WallUs(), caller.uid, "SET_QUOTA",
                 absl::StrCat("uid ", request->uid()), detail);
        return absl::OkStatus();
      },
      [this] { api_.dispatcher.Kick(); });
}

grpc::ServerUnaryReactor* SystemService::GetSigningKey(grpc::CallbackServerContext* context,
                                                       const v1::GetSigningKeyRequest*,
                                                       v1::GetSigningKeyResponse* response) {
  const absl::StatusOr<Caller> caller = Identify(*context, api_);
  if (!caller.ok()) return Reply(context, caller.status());
  response->set_algorithm("ed25519");
  response->set_key_id(support::KeyId(api_.signing_key));
  response->set_public_key(api_.signing_key);
  return Reply(context, absl::OkStatus());
}

grpc::ServerUnaryReactor* SystemService::ListQuotas(grpc::CallbackServerContext* context,
                                                    const v1::ListQuotasRequest* request,
                                                    v1::ListQuotasResponse* response) {
  return ReadAndReply(context, api_, [=, this](SQLite::Database& db, const Caller& caller) {
    if (absl::Status s = RequireOperator(caller); !s.ok()) return s;
    auto described = DescribeQuotas(db, *request, api_.policy, api_.clock.WallUs());
    if (!described.ok()) return described.status();
    *response = *std::move(described);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* SystemService::GetMetrics(grpc::CallbackServerContext* context,
                                                    const v1::GetMetricsRequest*,
                                                    v1::GetMetricsResponse* response) {
  return ReadAndReply(context, api_, [=, this](SQLite::Database& db, const Caller&) {
    Metrics::Levels levels;
    levels.now_us = api_.clock.WallUs();
    levels.devices = LiveDevices(db, api_);
    levels.disk_free_bytes = api_.disk.free_bytes();
    levels.refusing = !api_.disk.Check().ok();
    levels.paused = PauseReason(db).has_value();
    response->set_text(api_.metrics.Text(db, levels));
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
