// Is a database file sound?
#pragma once

#include <string>

#include "absl/status/status.h"

namespace SQLite {
class Database;
}

namespace kernelopt::server {

// quick_check, given up (OK, with a log line) after `seconds`: a start must not
// take minutes. FAILED_PRECONDITION DATABASE_DAMAGED with the command that puts
// a backup back.
absl::Status QuickCheck(SQLite::Database& db, const std::string& path, double seconds);

// integrity_check and foreign_key_check, in full. DATA_LOSS DATABASE_DAMAGED.
absl::Status FullCheck(SQLite::Database& db);

// What an admin does about the damaged file `path`.
std::string RestoreAdvice(const std::string& path);

}  // namespace kernelopt::server
