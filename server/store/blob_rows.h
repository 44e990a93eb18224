// Which blobs there are and whose; their bytes are in blobs/.
//
// Every function runs inside Database::Write or Database::Read work; see
// store/jobs.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace SQLite {
class Database;
}

namespace kernelopt::server {

// The bytes of `digest` are durable; `uid` wrote them. RESOURCE_EXHAUSTED
// BLOB_BYTES_LIMIT: `uid` would keep more than `limit` bytes (0: no limit).
absl::Status AddBlob(SQLite::Database& db, const std::string& digest, int64_t size, uint32_t uid,
                     int64_t limit, int64_t now_us);
// Somebody wrote this blob and it is still there.
bool BlobExists(SQLite::Database& db, const std::string& digest);
// `uid` wrote this blob and it is still there.
bool OwnsBlob(SQLite::Database& db, const std::string& digest, uint32_t uid);
// The job names this blob.
bool JobNamesBlob(SQLite::Database& db, const std::string& public_id, const std::string& digest);
// Forgets blobs no job names, untouched since `before_us`; returns them. Their
// files are to be removed after the commit.
std::vector<std::string> DropStaleBlobs(SQLite::Database& db, int64_t before_us);
// Bytes of all blobs.
int64_t BlobBytes(SQLite::Database& db);

}  // namespace kernelopt::server
