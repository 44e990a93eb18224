#include "server/settings.h"

#include <unistd.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace kernelopt::server {
namespace {

std::string Environment(const char* name, const std::string& fallback) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : fallback;
}

}  // namespace

std::string DefaultStateDirectory() {
  if (geteuid() == 0) return "/var/lib/kernelopt";
  const std::string home = Environment("HOME", "/tmp");
  return absl::StrCat(Environment("XDG_STATE_HOME", home + "/.local/state"), "/kernelopt");
}

std::string DefaultRuntimeDirectory() {
  if (geteuid() == 0) return "/run/kernelopt";
  return absl::StrCat(Environment("XDG_RUNTIME_DIR", absl::StrCat("/run/user/", geteuid())),
                      "/kernelopt");
}

std::vector<support::Setting> ServerSettings() {
  using Type = support::Setting::Type;
  return {
      {"state.directory", Type::kText, DefaultStateDirectory(), "database, blobs, logs, backups"},
      {"server.socket", Type::kText, DefaultRuntimeDirectory() + "/kernelopt.sock",
       "Unix socket; at most 107 bytes"},
      {"server.socket_mode", Type::kText, "0666",
       "permissions of the socket (octal); identity comes from the kernel"},
      {"server.seats", Type::kInteger, "256", "users connected at the same time"},
      {"server.readers", Type::kInteger, "2", "reader threads"},
      {"server.reflection", Type::kBool, "true", "gRPC reflection on the socket"},
      {"log.level", Type::kText, "info", "trace, debug, info, warn, error"},
      {"log.format", Type::kText, "text", "text, or json: one object a line"},
      {"auth.user_groups", Type::kText, "", "comma-separated; empty: everybody may submit"},
      {"auth.operator_groups", Type::kText, "", "comma-separated; may drain, pause, cancel any job"},
      {"auth.admin_groups", Type::kText, "", "comma-separated; also quotas, backups, archives"},
      {"auth.operator_uids", Type::kText, "", "comma-separated; may drain, pause, cancel any job"},
      {"auth.admin_uids", Type::kText, "", "comma-separated; also quotas and backups"},
      {"auth.worker_uids", Type::kText, "", "comma-separated; the daemon's own uid always"},
      {"queue.lease_seconds", Type::kReal, "30", "a worker silent for so long loses its job"},
      {"queue.heartbeat_seconds", Type::kReal, "5", "how often workers report"},
      {"queue.grace_seconds", Type::kReal, "10", "from asking a worker to stop to giving it up"},
      {"queue.quarantine_faults", Type::kInteger, "3", "leases in a row that workers lose, of several jobs, before a device rests; 0: never"},
      {"queue.quarantine_seconds", Type::kReal, "600", "until one job is tried on such a device"},
      {"queue.half_life_seconds", Type::kReal, "86400", "past turns count half after this long"},
      {"queue.interactive_bound_seconds", Type::kReal, "120", "a job that waited longer goes first"},
      {"queue.normal_bound_seconds", Type::kReal, "14400", "the same for class normal"},
      {"queue.batch_bound_seconds", Type::kReal, "86400", "the same for class batch"},
      {"limits.queued_jobs", Type::kInteger, "1000", "waiting and running jobs per user; 0: no limit"},
      {"limits.running_jobs", Type::kInteger, "0", "jobs of a user at a time, over all devices"},
      {"limits.turn_seconds_per_day", Type::kInteger, "0", "device time of a user a UTC day"},
      {"limits.submissions_per_minute", Type::kInteger, "600", "new jobs of a user"},
      {"limits.user_blob_bytes", Type::kInteger, "10737418240", "files of a user"},
      {"limits.user_log_bytes", Type::kInteger, "2147483648", "logs of a user"},
      {"limits.min_free_bytes", Type::kInteger, "268435456", "below it no jobs are taken"},
      {"limits.blob_bytes", Type::kInteger, "67108864", "size of one blob"},
      {"limits.log_bytes", Type::kInteger, "4194304", "size of one job's log"},
      {"limits.queue_seconds", Type::kReal, "86400", "default of --queue-timeout"},
      {"limits.run_seconds", Type::kReal, "600", "default of --run-timeout"},
      {"limits.no_progress_seconds", Type::kReal, "120", "default limit without progress"},
      {"limits.call_seconds", Type::kReal, "10", "default of --call-timeout"},
      {"limits.flags", Type::kText, "", "comma-separated beginnings of compiler flags that jobs may use besides the usual"},
      {"limits.max_run_seconds", Type::kReal, "21600", "largest --run-timeout"},
      {"blobs.keep_seconds", Type::kReal, "86400", "unreferenced blobs live so long"},
      {"retention.archive_days", Type::kInteger, "0",
       "jobs ended so long ago move to <state>/archive; 0: never"},
      {"store.check_seconds", Type::kReal, "1", "quick_check of the database at the start"},
      {"workers.devices", Type::kText, "host",
       "comma-separated devices to start workers for; empty when systemd does"},
      {"workers.program", Type::kText, "", "path of kernelopt-worker; empty: beside kernelopt-d"},
      {"workers.lock_directory", Type::kText, DefaultRuntimeDirectory(),
       "one worker per device and machine; the lock files"},
      {"workers.max_backoff_seconds", Type::kReal, "30", "longest pause before a worker that keeps dying is started again"},
      {"workers.config", Type::kText, "", "TOML file handed to the workers; empty: none"},
  };
}

}  // namespace kernelopt::server
