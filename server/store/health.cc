#include "store/health.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "absl/strings/str_cat.h"
#include "spdlog/spdlog.h"
#include "support/clock.h"
#include "support/mutex.h"
#include "support/status.h"

namespace kernelopt::server {
namespace {

// Interrupts what the connection does once the time is over, again and again: an
// interrupt that comes before the work has begun is none. A progress handler would
// not do: the whole check is one step of SQLite 3.40's machine.
class InterruptAfter {
 public:
  InterruptAfter(sqlite3* db, double seconds) : thread_([this, db, seconds] { Run(db, seconds); }) {}
  ~InterruptAfter() {
    {
      const support::MutexLock lock(mutex_);
      done_ = true;
      wake_.NotifyOne();
    }
    thread_.join();
  }

 private:
  void Run(sqlite3* db, double seconds) {
    const double until_s = support::MonotonicSeconds() + seconds;
    const support::MutexLock lock(mutex_);
    while (!done_) {
      const double left_s = until_s - support::MonotonicSeconds();
      if (left_s <= 0) sqlite3_interrupt(db);
      wake_.WaitFor(mutex_, std::chrono::milliseconds(1 + static_cast<int64_t>(std::clamp(left_s, 0.0, 1.0) * 1e3)));
    }
  }

  support::Mutex mutex_;
  support::CondVar wake_;
  bool done_ KOPT_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace

std::string RestoreAdvice(const std::string& path) {
  const std::filesystem::path state = std::filesystem::path(path).parent_path();
  std::string newest;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(state / "backups", error)) {
    const std::string file = entry.path().filename();
    if (file.size() > 3 && file.ends_with(".db")) newest = std::max(newest, file);
  }
  if (newest.empty()) {
    return absl::StrCat("there is no backup under ", (state / "backups").string(),
                        "; if you have one elsewhere: kernelopt-d --state ", state.string(),
                        " --restore FILE");
  }
  return absl::StrCat("put the newest backup back with: kernelopt-d --state ", state.string(),
                      " --restore ", (state / "backups" / newest).string());
}

absl::Status QuickCheck(SQLite::Database& db, const std::string& path, double seconds) {
  std::string found;
  {
    const InterruptAfter alarm(db.getHandle(), seconds);
    try {
      found = db.execAndGet("PRAGMA quick_check(1)").getString();
    } catch (const SQLite::Exception& error) {
      found = error.getErrorCode() == SQLITE_INTERRUPT ? "unfinished" : error.what();
    }
  }
  if (found == "unfinished") {
    spdlog::info("quick_check given up after {} s; `koptctl admin backup` checks all of it", seconds);
    return absl::OkStatus();
  }
  if (found == "ok") return absl::OkStatus();
  return support::ReasonError(absl::StatusCode::kFailedPrecondition,
                              support::Reason::DATABASE_DAMAGED,
                              absl::StrCat(path, " is damaged (", found, "); ", RestoreAdvice(path)));
}

absl::Status FullCheck(SQLite::Database& db) {
  const std::string found = db.execAndGet("PRAGMA integrity_check(1)").getString();
  SQLite::Statement keys(db, "PRAGMA foreign_key_check");
  const bool dangling = keys.executeStep();
  if (found == "ok" && !dangling) return absl::OkStatus();
  return support::ReasonError(
      absl::StatusCode::kDataLoss, support::Reason::DATABASE_DAMAGED,
      found != "ok" ? absl::StrCat("integrity_check: ", found)
                    : absl::StrCat("foreign_key_check: a row of ", keys.getColumn(0).getText(),
                                   " points nowhere"));
}

}  // namespace kernelopt::server
