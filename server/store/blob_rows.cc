#include "store/blob_rows.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include "absl/strings/str_cat.h"
#include "store/accounts.h"
#include "store/prepared.h"
#include "support/status.h"

namespace kernelopt::server {

absl::Status AddBlob(SQLite::Database& db, const std::string& digest, int64_t size, uint32_t uid,
                     int64_t limit, int64_t now_us) {
  const bool new_to_user = !OwnsBlob(db, digest, uid);
  const int64_t kept = LoadAccount(db, uid).blob_bytes;
  if (new_to_user && limit > 0 && kept + size > limit) {
    return support::ReasonError(
        absl::StatusCode::kResourceExhausted, support::Reason::BLOB_BYTES_LIMIT,
        absl::StrCat("your files take ", kept, " bytes and this one ", size, ", your limit is ",
                     limit, " (limits.user_blob_bytes); those that no job names are dropped after a "
                     "day, an admin can archive old jobs or raise the limit (koptctl quota set)"),
        {{"limit", absl::StrCat(limit)}});
  }
  SQLite::Statement blob(db,
                         "INSERT INTO blob (digest, size, touched_us) VALUES (?1, ?2, ?3) "
                         "ON CONFLICT (digest) DO UPDATE SET touched_us = ?3");
  blob.bind(1, digest);
  blob.bind(2, size);
  blob.bind(3, now_us);
  blob.exec();
  if (!new_to_user) return absl::OkStatus();
  SQLite::Statement owner(db, "INSERT INTO blob_owner (uid, digest, size) VALUES (?, ?, ?)");
  owner.bind(1, static_cast<int64_t>(uid));
  owner.bind(2, digest);
  owner.bind(3, size);
  owner.exec();
  return absl::OkStatus();
}

bool BlobExists(SQLite::Database& db, const std::string& digest) {
  SQLite::Statement s(db, "SELECT 1 FROM blob WHERE digest = ?");
  s.bind(1, digest);
  return s.executeStep();
}

bool OwnsBlob(SQLite::Database& db, const std::string& digest, uint32_t uid) {
  Prepared prepared(db, "SELECT 1 FROM blob_owner WHERE uid = ? AND digest = ?");
  SQLite::Statement& s = *prepared;
  s.bind(1, static_cast<int64_t>(uid));
  s.bind(2, digest);
  return s.executeStep();
}

bool JobNamesBlob(SQLite::Database& db, const std::string& public_id, const std::string& digest) {
  SQLite::Statement s(db,
                      "SELECT 1 FROM job_blob WHERE digest = ? AND "
                      "job_id = (SELECT id FROM job WHERE public_id = ?)");
  s.bind(1, digest);
  s.bind(2, public_id);
  return s.executeStep();
}

std::vector<std::string> DropStaleBlobs(SQLite::Database& db, int64_t before_us) {
  SQLite::Statement s(db,
                      "DELETE FROM blob WHERE touched_us < ? AND NOT EXISTS "
                      "(SELECT 1 FROM job_blob WHERE job_blob.digest = blob.digest) "
                      "RETURNING digest");
  s.bind(1, before_us);
  std::vector<std::string> dropped;
  while (s.executeStep()) dropped.emplace_back(s.getColumn(0).getText());
  return dropped;
}

int64_t BlobBytes(SQLite::Database& db) {
  return db.execAndGet("SELECT coalesce(sum(blob_bytes), 0) FROM account").getInt64();
}

}  // namespace kernelopt::server
