#include "store/migrations.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "spdlog/spdlog.h"
#include "store/health.h"

namespace kernelopt::server {

absl::Status Migrate(SQLite::Database& db, const std::string& path, double check_seconds) {
  const std::span<const std::string_view> versions = SchemaVersions();
  const int newest = static_cast<int>(versions.size());
  const int found = db.execAndGet("PRAGMA user_version").getInt();
  if (found > newest) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, " has schema version ", found, "; this program knows up to ", newest,
                     ". Install a newer kernelopt-d, or restore an older backup."));
  }
  if (absl::Status s = QuickCheck(db, path, check_seconds); !s.ok()) return s;
  if (found > 0 && found < newest) {
    const std::string copy = absl::StrCat(path, ".v", found);
    unlink(copy.c_str());
    SQLite::Statement vacuum(db, "VACUUM INTO ?");
    vacuum.bind(1, copy);
    vacuum.exec();
    spdlog::info("schema {} -> {}: kept a copy in {}", found, newest, copy);
  }
  for (int version = found; version < newest; ++version) {
    SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
    db.exec(std::string(versions[static_cast<size_t>(version)]));
    db.exec(absl::StrCat("PRAGMA user_version=", version + 1));
    transaction.commit();
  }
  return absl::OkStatus();
}

}  // namespace kernelopt::server
