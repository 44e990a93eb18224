#include "server/daemon.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <unistd.h>

#include <atomic>
#include <chrono>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "api/blob_service.h"
#include "api/device_service.h"
#include "api/job_service.h"
#include "api/system_service.h"
#include "api/worker_service.h"
#include "auth/seats.h"
#include "dispatch/supervisor.h"
#include "spdlog/spdlog.h"
#include "sqlite3.h"
#include "metrics/rpc_watch.h"
#include "queue/quota.h"
#include "store/archive.h"
#include "store/blob_sweep.h"
#include "store/jobs.h"
#include "support/ids.h"
#include "support/notify.h"

namespace kernelopt::server {

// Destroyed bottom up: services before what they use, the database (which
// finishes what waits, and calls back into dispatch) before dispatch and hub.
struct Daemon::Impl {
  support::UniqueFd lock;
  Metrics metrics;
  Hub hub;
  std::unique_ptr<DiskRoom> disk;
  std::unique_ptr<LogFiles> logs;
  std::unique_ptr<BlobFiles> blobs;
  std::unique_ptr<Dispatcher> dispatcher;
  std::unique_ptr<Database> database;
  std::unique_ptr<Supervisor> supervisor;
  std::unique_ptr<ApiContext> api;
  std::vector<std::unique_ptr<grpc::Service>> services;
  std::unique_ptr<Seats> seats;
  std::unique_ptr<grpc::Server> server;
  std::string signing_key;  // its public part
  int64_t next_keep_us = 0;
  std::atomic<bool> archiving{false};

  absl::Status OpenState(const support::Config& config);
  absl::Status MakeApi(const support::Config& config);
  absl::Status Serve(const support::Config& config);
  void MakeSupervisor(const support::Config& config);
  void FollowCommits();
  void Keep(const support::Config& config);
};

namespace {

constexpr int kReceiveBytes = 4 << 20;
constexpr int kMetadataBytes = 16 << 10;
constexpr int64_t kOrphanAgeUs = 3'600'000'000;  // no upload takes that long

int64_t Micros(double seconds) { return static_cast<int64_t>(seconds * 1e6); }

absl::StatusOr<std::string> WorkerToken(const std::string& path) {
  absl::StatusOr<std::string> token = support::ReadFile(path);
  if (token.ok() && token->size() >= 32) return token;
  std::string fresh = support::NewUuid() + support::NewUuid();
  if (absl::Status s = support::WriteFileDurably(path, fresh, 0600); !s.ok()) return s;
  return fresh;
}

QueuePolicy PolicyOf(const support::Config& config) {
  QueuePolicy policy;
  policy.half_life_us = Micros(config.Real("queue.half_life_seconds"));
  policy.quarantine.faults = static_cast<int>(config.Integer("queue.quarantine_faults"));
  policy.quarantine.us = Micros(config.Real("queue.quarantine_seconds"));
  policy.bound_us = {0, Micros(config.Real("queue.interactive_bound_seconds")),
                     Micros(config.Real("queue.normal_bound_seconds")),
                     Micros(config.Real("queue.batch_bound_seconds"))};
  policy.quota.set_queued_jobs(config.Integer("limits.queued_jobs"));
  policy.quota.set_running_jobs(config.Integer("limits.running_jobs"));
  policy.quota.set_turn_seconds_per_day(config.Integer("limits.turn_seconds_per_day"));
  policy.quota.set_blob_bytes(config.Integer("limits.user_blob_bytes"));
  policy.quota.set_log_bytes(config.Integer("limits.user_log_bytes"));
  policy.quota.set_submissions_per_minute(config.Integer("limits.submissions_per_minute"));
  policy.quota.set_share_percent(100);
  return policy;
}

std::vector<std::string> Words(const support::Config& config, const char* key) {
  return absl::StrSplit(config.Text(key), ',', absl::SkipEmpty());
}

DispatchOptions DispatchOptionsOf(const support::Config& config) {
  DispatchOptions options;
  options.terms.lease_us = Micros(config.Real("queue.lease_seconds"));
  options.terms.grace_us = Micros(config.Real("queue.grace_seconds"));
  options.heartbeat_seconds = config.Real("queue.heartbeat_seconds");
  options.log_bytes = config.Integer("limits.log_bytes");
  options.policy = PolicyOf(config);
  return options;
}

}  // namespace

absl::Status Daemon::Impl::OpenState(const support::Config& config) {
  const std::string& state = config.Text("state.directory");
  for (const char* part : {"", "/logs", "/backups"}) {
    if (absl::Status s = support::MakeDirectories(state + part); !s.ok()) return s;
  }
  auto held = support::LockFile(state + "/daemon.lock", absl::StrCat("kernelopt-d pid ", getpid()));
  if (!held.ok()) {
    return absl::FailedPreconditionError(
        absl::StrCat(std::string(held.status().message()),
                     "; stop it, or give this one another --state"));
  }
  lock = *std::move(held);
  disk = std::make_unique<DiskRoom>(state, config.Integer("limits.min_free_bytes"));
  disk->Look();
  auto opened = Database::Open({.path = state + "/kernelopt.db",
                                .readers = static_cast<int>(config.Integer("server.readers")),
                                .check_seconds = config.Real("store.check_seconds")});
  if (!opened.ok()) return opened.status();
  database = *std::move(opened);
  FollowCommits();
  if (sqlite3_libversion_number() < 3051003) {
    spdlog::info("SQLite {}: one writer does all checkpoints, so its WAL-reset bug cannot happen",
                 sqlite3_libversion());
  }
  auto files = BlobFiles::Open(state + "/blobs");
  if (!files.ok()) return files.status();
  blobs = std::make_unique<BlobFiles>(*std::move(files));
  logs = std::make_unique<LogFiles>(state + "/logs", config.Integer("limits.log_bytes"));
  auto key = support::KeepSigningKey(state + "/signing.key");
  if (!key.ok()) return key.status();
  signing_key = key->shown;
  DispatchOptions options = DispatchOptionsOf(config);
  options.key = *std::move(key);
  dispatcher = std::make_unique<Dispatcher>(*database, hub, *logs, metrics, support::Clock::Real(), std::move(options));
  return absl::OkStatus();
}

// Whoever watches a job is woken by the commit that changed it, and only there.
void Daemon::Impl::FollowCommits() {
  auto seen = std::make_shared<int64_t>(0);
  (void)database->ReadAndWait([&](SQLite::Database& db) {
    *seen = NewestEvent(db);
    return absl::OkStatus();
  });
  database->OnCommit([this](double seconds, int64_t items) { metrics.Commit(seconds, items); });
  database->AfterCommit([this, seen](SQLite::Database& db) {
    const std::vector<JobEvent> events = EventsSince(db, *seen);
    metrics.Jobs(db, events);
    for (const JobEvent& event : events) hub.Publish(event.public_id);
  });
}

absl::Status Daemon::Impl::MakeApi(const support::Config& config) {
  const std::string& state = config.Text("state.directory");
  const absl::StatusOr<std::string> token = WorkerToken(state + "/worker.token");
  if (!token.ok()) return token.status();
  RoleTable roles;
  roles.daemon_uid = geteuid();
  if (absl::Status s = ParseUids(config.Text("auth.operator_uids"), roles.operator_uids); !s.ok()) return s;
  if (absl::Status s = ParseUids(config.Text("auth.admin_uids"), roles.admin_uids); !s.ok()) return s;
  if (absl::Status s = ParseUids(config.Text("auth.worker_uids"), roles.worker_uids); !s.ok()) return s;
  roles.user_groups = Words(config, "auth.user_groups");
  roles.operator_groups = Words(config, "auth.operator_groups");
  roles.admin_groups = Words(config, "auth.admin_groups");
  SpecLimits limits;
  limits.queue_seconds = config.Real("limits.queue_seconds");
  limits.run_seconds = config.Real("limits.run_seconds");
  limits.no_progress_seconds = config.Real("limits.no_progress_seconds");
  limits.call_seconds = config.Real("limits.call_seconds");
  limits.max_run_seconds = config.Real("limits.max_run_seconds");
  limits.flags = Words(config, "limits.flags");
  api.reset(new ApiContext{*database, *dispatcher, hub, *blobs, *logs, support::Clock::Real(),
                           *disk, metrics, roles, limits, PolicyOf(config),
                           config.Integer("limits.blob_bytes"), state, *token, signing_key,
                           support::Clock::Real().WallUs()});
  return absl::OkStatus();
}

absl::Status Daemon::Impl::Serve(const support::Config& config) {
  grpc::EnableDefaultHealthCheckService(true);
  if (config.Bool("server.reflection")) grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  // To add a service: its file in api/, a line here.
  services.push_back(std::make_unique<JobService>(*api));
  services.push_back(std::make_unique<DeviceService>(*api));
  services.push_back(std::make_unique<BlobService>(*api));
  services.push_back(std::make_unique<SystemService>(*api));
  services.push_back(std::make_unique<WorkerService>(*api));
  grpc::ServerBuilder builder;
  for (auto& service : services) builder.RegisterService(service.get());
  builder.SetMaxReceiveMessageSize(kReceiveBytes);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kMetadataBytes);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 100);
  std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> watches;
  watches.push_back(std::make_unique<RpcWatch>(metrics));
  builder.experimental().SetInterceptorCreators(std::move(watches));
  seats = std::make_unique<Seats>(
      static_cast<int>(config.Integer("server.seats")),
      [this](uint32_t uid) { return RoleOf(uid, GroupsOf(uid), api->roles); });
  seats->AddTo(builder);
  server = builder.BuildAndStart();
  if (!server) return absl::InternalError("gRPC could not start the server");
  std::vector<support::UniqueFd> given = support::TakeListenFds();
  if (!given.empty()) return seats->Serve(std::move(given[0]));
  const std::string& socket = config.Text("server.socket");
  const std::string directory = socket.substr(0, socket.rfind('/'));
  if (absl::Status s = support::MakeDirectories(directory, 0755); !s.ok()) return s;
  const int mode = static_cast<int>(std::strtol(config.Text("server.socket_mode").c_str(), nullptr, 8));
  return seats->Serve(socket, mode);
}

void Daemon::Impl::MakeSupervisor(const support::Config& config) {
  SupervisorOptions options;
  options.devices = absl::StrSplit(config.Text("workers.devices"), ',', absl::SkipEmpty());
  options.program = config.Text("workers.program");
  if (options.program.empty()) options.program = support::ProgramDirectory() + "/kernelopt-worker";
  options.lock_directory = config.Text("workers.lock_directory");
  options.max_backoff_seconds = config.Real("workers.max_backoff_seconds");
  options.log_directory = config.Text("state.directory") + "/logs";
  options.arguments = {"--socket", config.Text("server.socket"), "--token-file",
                       config.Text("state.directory") + "/worker.token", "--state",
                       config.Text("state.directory") + "/worker", "--set",
                       "worker.lock_directory=" + options.lock_directory, "--set",
                       "worker.exit_when_orphaned_seconds=60"};
  if (!config.Text("workers.config").empty()) {
    options.arguments.insert(options.arguments.end(), {"--config", config.Text("workers.config")});
  }
  if (options.devices.empty()) return;
  (void)support::MakeDirectories(options.lock_directory, 0755);
  supervisor = std::make_unique<Supervisor>(options, support::Clock::Real());
}

// Housekeeping that nobody waits for, every ten minutes.
void Daemon::Impl::Keep(const support::Config& config) {
  const int64_t now_us = support::Clock::Real().BootUs();
  if (now_us < next_keep_us) return;
  const bool first = next_keep_us == 0;
  next_keep_us = now_us + 600'000'000;
  const int64_t wall_us = support::Clock::Real().WallUs();
  SweepStaleBlobs(*database, *blobs, wall_us - Micros(config.Real("blobs.keep_seconds")));
  if (first) SweepOrphanFiles(*database, *blobs, wall_us - kOrphanAgeUs);
  const int64_t days = config.Integer("retention.archive_days");
  if (days <= 0) return;
  ArchiveOrder order{config.Text("state.directory") + "/archive", wall_us - days * kDayUs,
                     geteuid(), wall_us};
  if (archiving.exchange(true)) return;
  database->ReadLong(
      [=, this](SQLite::Database& db) {
        return ArchiveEnded(*database, db, *blobs, *logs, order).status();
      },
      [this](const absl::Status& status) {
        archiving = false;
        if (!status.ok()) spdlog::error("archiving: {}", std::string(status.message()));
      });
}

Daemon::Daemon() : impl_(std::make_unique<Impl>()) {}

absl::StatusOr<std::unique_ptr<Daemon>> Daemon::Start(const support::Config& config) {
  std::unique_ptr<Daemon> daemon(new Daemon());
  Impl& impl = *daemon->impl_;
  if (absl::Status s = impl.OpenState(config); !s.ok()) return s;
  if (absl::Status s = impl.MakeApi(config); !s.ok()) return s;
  impl.MakeSupervisor(config);
  impl.dispatcher->OnTick([&impl, config] {
    if (impl.supervisor) impl.supervisor->Tick();
    impl.disk->Look();
    impl.Keep(config);
  });
  // Serve first: workers of the daemon before attach as soon as leases are back.
  if (absl::Status s = impl.dispatcher->Start(); !s.ok()) return s;
  if (absl::Status s = impl.Serve(config); !s.ok()) return s;
  spdlog::info("kernelopt-d {} serves {} (state {})", KOPT_VERSION, config.Text("server.socket"),
               config.Text("state.directory"));
  return daemon;
}

bool Daemon::Healthy() {
  // A full disk is no reason to be killed; a writer that is stuck is.
  (void)impl_->database->WriteAndWait([](SQLite::Database&) { return absl::OkStatus(); });
  return true;
}

Daemon::~Daemon() {
  Impl& impl = *impl_;
  if (impl.api) impl.api->stopping = true;
  if (impl.seats) impl.seats->Stop();
  if (impl.dispatcher) impl.dispatcher->Stop();
  if (impl.server) {
    impl.server->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(3));
  }
  impl.server.reset();
  impl.database.reset();
}

}  // namespace kernelopt::server
