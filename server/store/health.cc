#include "store/health.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "spdlog/spdlog.h"
#include "support/clock.h"
#include "support/status.h"

namespace kernelopt::server {

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
  const double until_s = support::MonotonicSeconds() + seconds;
  const auto late = [](void* until) {
    return support::MonotonicSeconds() > *static_cast<const double*>(until) ? 1 : 0;
  };
  sqlite3_progress_handler(db.getHandle(), 10'000, late, const_cast<double*>(&until_s));
  std::string found;
  try {
    found = db.execAndGet("PRAGMA quick_check(1)").getString();
  } catch (const SQLite::Exception& error) {
    found = error.getErrorCode() == SQLITE_INTERRUPT ? "unfinished" : error.what();
  }
  sqlite3_progress_handler(db.getHandle(), 0, nullptr, nullptr);
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
