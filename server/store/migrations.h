// Brings a database file to the newest schema, one version at a time.
//
// To add a version: schemas/sql/000N_name.sql, a line in schemas/CMakeLists.txt
// and a golden old file under tests/golden/db.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace SQLite {
class Database;
}

namespace kernelopt::server {

// PRAGMA application_id of our databases ("KOPD").
inline constexpr int kApplicationId = 0x4B4F5044;

// Texts of schemas/sql in order; made at build time.
std::span<const std::string_view> SchemaVersions();

// FAILED_PRECONDITION: the file is newer than this program, or damaged
// (store/health.h). A copy `<path>.v<N>` is kept before a file that holds data
// is changed.
absl::Status Migrate(SQLite::Database& db, const std::string& path, double check_seconds);

}  // namespace kernelopt::server
