// Archives and backups: whole databases beside the live one.
//
// An archive is a database with the same tables that holds the jobs that ended
// before some time, with everything that belongs to them (attempts, results,
// events, sources, logs); the live database remembers in which file each job
// is. First the archive is written and synced, then the rows are deleted: a
// crash in between leaves a job in both, never in none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "blobs/blob_files.h"
#include "logs/log_files.h"
#include "store/database.h"

namespace kernelopt::server {

struct ArchiveOrder {
  std::string directory;
  int64_t ended_before_us = 0;
  uint32_t by_uid = 0;
  int64_t now_us = 0;
};
struct Archived {
  int64_t jobs = 0;
  std::string file;  // name in the directory; empty when there was nothing
};
// Blocks, for as long as the copying takes; for a reader thread, whose
// connection `db` is. Jobs that live jobs still depend on stay.
absl::StatusOr<Archived> ArchiveEnded(Database& database, SQLite::Database& db, BlobFiles& blobs,
                                      LogFiles& logs, const ArchiveOrder& order);

// Name of the archive file that has this job.
std::optional<std::string> ArchiveOf(SQLite::Database& db, const std::string& public_id);
// Log of an archived job; `archive` is that file.
std::string ArchivedLog(SQLite::Database& archive, const std::string& public_id);

// Copies the live database to `path` while it is in use, checks the copy in
// full, syncs it. Its size. DATA_LOSS DATABASE_DAMAGED: the copy is removed.
absl::StatusOr<int64_t> CopyAndCheck(SQLite::Database& db, const std::string& path);

// Puts a backup in place of `<state>/kernelopt.db`, which is kept beside it. The
// daemon must not run. Leases of before are void: every live job's epoch is
// raised past all that the replaced database could have given out.
// FAILED_PRECONDITION: `backup` is damaged, newer than this program or not ours.
absl::Status Restore(const std::string& state, const std::string& backup);

}  // namespace kernelopt::server
