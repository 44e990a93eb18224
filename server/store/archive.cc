#include "store/archive.h"

#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spdlog/spdlog.h"
#include "store/accounts.h"
#include "store/health.h"
#include "store/migrations.h"
#include "store/search.h"
#include "store/switches.h"
#include "support/clock.h"
#include "support/disk.h"
#include "support/files.h"
#include "support/status.h"

namespace kernelopt::server {
namespace {

namespace fs = std::filesystem;

// Ended jobs that no live job waits for, oldest first. Not the newest: SQLite
// would give its id away again. Not those whose request_id may still come twice.
constexpr char kEnded[] =
    "SELECT id FROM job WHERE finished_us < ?1 AND id < (SELECT max(id) FROM job) AND "
    "(request_id IS NULL OR created_us < ?3 - 604800000000) AND NOT EXISTS (SELECT 1 FROM dependency JOIN job w "
    "ON w.id = dependency.job_id WHERE dependency.on_id = job.id AND w.finished_us IS NULL) "
    "ORDER BY finished_us LIMIT ?2";

absl::Status SyncFile(const std::string& path) {
  const support::UniqueFd fd(support::Disk::Current().Open(path, O_RDONLY | O_CLOEXEC, 0));
  if (!fd.valid()) return support::ErrnoStatus("open", path);
  if (support::Disk::Current().Sync(fd.get()) != 0) return support::ErrnoStatus("fsync", path);
  return support::SyncDirectory(fs::path(path).parent_path());
}

// Takes a half-written file away again, however its writing ends.
class Partial {
 public:
  explicit Partial(std::string path) : path_(std::move(path)) { fs::remove(path_); }
  ~Partial() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove(path_, ignored);
    if (!path_.empty()) fs::remove(path_ + "-journal", ignored);
  }
  void Keep() { path_.clear(); }

 private:
  std::string path_;
};

void PutBytes(SQLite::Database& to, const std::string& name, const std::string& bytes) {
  SQLite::Statement s(to, "INSERT OR IGNORE INTO archived_bytes VALUES (?, ?)");
  s.bind(1, name);
  s.bind(2, bytes.data(), static_cast<int>(bytes.size()));
  s.exec();
}

struct Source {
  SQLite::Database& db;
  BlobFiles& blobs;
  LogFiles& logs;
};

// The bytes of sources and logs of the jobs in `to`.
absl::Status CopyBytes(const Source& from, SQLite::Database& to) {
  constexpr size_t kMost = size_t{1} << 30;  // blobs and logs are far below
  SQLite::Statement blobs(to, "SELECT digest FROM blob");
  while (blobs.executeStep()) {
    const std::string digest = blobs.getColumn(0).getText();
    const absl::StatusOr<std::string> bytes = from.blobs.Read(digest, 0, kMost);
    if (!bytes.ok()) return bytes.status();
    PutBytes(to, "blobs/" + digest, *bytes);
  }
  SQLite::Statement jobs(to, "SELECT public_id FROM job");
  while (jobs.executeStep()) {
    const std::string id = jobs.getColumn(0).getText();
    const auto log = from.logs.Read(id, 0, static_cast<size_t>(from.logs.Size(id)));
    if (!log.ok()) return log.status();
    if (!log->data.empty()) PutBytes(to, "logs/" + id, log->data);
  }
  return absl::OkStatus();
}

absl::Status WriteArchive(const Source& from, const std::string& path,
                          const std::vector<int64_t>& ids) {
  SQLite::Database to(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE | SQLite::OPEN_URI);
  if (absl::Status s = Migrate(to, path, 1); !s.ok()) return s;
  to.exec("PRAGMA foreign_keys=OFF");
  SQLite::Statement attach(to, "ATTACH DATABASE ? AS live");
  attach.bind(1, absl::StrCat("file:", from.db.getFilename(), "?mode=ro"));
  attach.exec();
  SQLite::Transaction transaction(to);
  to.exec("CREATE TEMP TABLE wanted (id INTEGER PRIMARY KEY)");
  SQLite::Statement want(to, "INSERT INTO wanted VALUES (?)");
  for (const int64_t id : ids) {
    want.reset();
    want.bind(1, id);
    want.exec();
  }
  to.exec("INSERT INTO main.job SELECT * FROM live.job WHERE id IN wanted");
  for (const char* table : {"attempt", "result", "event", "job_blob"}) {
    to.exec(absl::StrCat("INSERT INTO main.", table, " SELECT * FROM live.", table,
                         " WHERE job_id IN wanted"));
  }
  to.exec("INSERT INTO main.blob SELECT * FROM live.blob WHERE digest IN "
          "(SELECT digest FROM main.job_blob)");
  if (absl::Status s = CopyBytes(from, to); !s.ok()) return s;
  transaction.commit();
  to.exec("DETACH DATABASE live");
  return FullCheck(to);
}

void DeleteJob(SQLite::Database& db, int64_t id, const std::string& file) {
  const auto run = [&](const std::string& sql) {
    SQLite::Statement s(db, sql);
    s.bind(1, id);
    s.exec();
  };
  SQLite::Statement row(db, "SELECT public_id, owner_uid, log_bytes FROM job WHERE id = ? AND "
                             "finished_us IS NOT NULL");
  row.bind(1, id);
  if (!row.executeStep()) return;
  SQLite::Statement note(db, "INSERT OR REPLACE INTO archived_job VALUES (?, ?)");
  note.bind(1, row.getColumn(0).getText());
  note.bind(2, file);
  note.exec();
  AddLogBytes(db, static_cast<uint32_t>(row.getColumn(1).getInt64()), -row.getColumn(2).getInt64());
  row.reset();
  ForgetJobText(db, id);
  for (const char* table : {"attempt", "result", "event", "job_blob"}) {
    run(absl::StrCat("DELETE FROM ", table, " WHERE job_id = ?"));
  }
  run("DELETE FROM dependency WHERE job_id = ?1 OR on_id = ?1");
  run("DELETE FROM job WHERE id = ?");
}

}  // namespace

absl::StatusOr<Archived> ArchiveEnded(Database& database, SQLite::Database& db, BlobFiles& blobs,
                                      LogFiles& logs, const ArchiveOrder& order) {
  constexpr int kMostJobs = 100'000;  // of one file
  constexpr size_t kBatch = 200;      // deleted in one transaction: others get their turn
  std::vector<int64_t> ids;
  SQLite::Statement ended(db, kEnded);
  ended.bind(1, order.ended_before_us);
  ended.bind(2, kMostJobs);
  ended.bind(3, order.now_us);
  while (ended.executeStep()) ids.push_back(ended.getColumn(0).getInt64());
  ended.reset();
  if (ids.empty()) return Archived{};
  if (absl::Status s = support::MakeDirectories(order.directory); !s.ok()) return s;
  const std::string file = absl::StrCat("jobs-", order.now_us, ".db");
  const std::string path = order.directory + "/" + file, partial = path + ".partial";
  Partial half(partial);
  if (absl::Status s = WriteArchive({db, blobs, logs}, partial, ids); !s.ok()) return s;
  if (absl::Status s = SyncFile(partial); !s.ok()) return s;
  if (support::Disk::Current().Rename(partial, path) != 0) return support::ErrnoStatus("rename", partial);
  half.Keep();
  if (absl::Status s = support::SyncDirectory(order.directory); !s.ok()) return s;

  for (size_t begin = 0; begin < ids.size(); begin += kBatch) {
    const size_t end = std::min(begin + kBatch, ids.size());
    absl::Status deleted = database.WriteAndWait([&](SQLite::Database& writer) {
      for (size_t i = begin; i < end; ++i) DeleteJob(writer, ids[i], file);
      return absl::OkStatus();
    });
    if (!deleted.ok()) return deleted;
  }
  SQLite::Database archive(path, SQLite::OPEN_READONLY);
  SQLite::Statement listed(archive, "SELECT public_id FROM job");
  while (listed.executeStep()) logs.Remove(listed.getColumn(0).getText());
  absl::Status noted = database.WriteAndWait([&](SQLite::Database& writer) {
    AddAudit(writer, order.now_us, order.by_uid, "ARCHIVE_JOBS", "archive/" + file,
             absl::StrCat(ids.size(), " jobs"));
    return absl::OkStatus();
  });
  if (!noted.ok()) return noted;
  spdlog::info("moved {} ended jobs to {}", ids.size(), path);
  return Archived{static_cast<int64_t>(ids.size()), file};
}

std::optional<std::string> ArchiveOf(SQLite::Database& db, const std::string& public_id) {
  SQLite::Statement s(db, "SELECT file FROM archived_job WHERE public_id = ?");
  s.bind(1, public_id);
  if (!s.executeStep()) return std::nullopt;
  return s.getColumn(0).getText();
}

std::string ArchivedLog(SQLite::Database& archive, const std::string& public_id) {
  SQLite::Statement s(archive, "SELECT bytes FROM archived_bytes WHERE name = ?");
  s.bind(1, "logs/" + public_id);
  if (!s.executeStep()) return "";
  const SQLite::Column bytes = s.getColumn(0);
  return std::string(static_cast<const char*>(bytes.getBlob()), static_cast<size_t>(bytes.getBytes()));
}

absl::StatusOr<int64_t> CopyAndCheck(SQLite::Database& db, const std::string& path) {
  const std::string partial = path + ".partial";
  Partial half(partial);
  absl::Status status;
  {
    SQLite::Database copy(partial, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    SQLite::Backup backup(copy, db);
    // In one step: one snapshot. Between steps any commit would begin it anew.
    backup.executeStep(-1);
    status = FullCheck(copy);
    copy.exec("PRAGMA journal_mode=DELETE");  // one file, nothing beside it
  }
  if (status.ok()) status = SyncFile(partial);
  if (status.ok() && support::Disk::Current().Rename(partial, path) != 0) {
    status = support::ErrnoStatus("rename", partial);
  }
  if (status.ok()) status = support::SyncDirectory(fs::path(path).parent_path());
  if (!status.ok()) return status;
  half.Keep();
  return static_cast<int64_t>(fs::file_size(path));
}

absl::Status Restore(const std::string& state, const std::string& backup) {
  const std::string live = state + "/kernelopt.db", fresh = live + ".restoring";
  const auto held = support::LockFile(state + "/daemon.lock", "kernelopt-d --restore");
  if (!held.ok()) {
    return absl::FailedPreconditionError(
        absl::StrCat(std::string(held.status().message()), "; stop it first"));
  }
  try {
    SQLite::Database from(backup, SQLite::OPEN_READONLY);
    if (from.execAndGet("PRAGMA application_id").getInt() != kApplicationId) {
      return absl::FailedPreconditionError(absl::StrCat(backup, " is not a database of kernelopt-d"));
    }
    if (absl::Status s = FullCheck(from); !s.ok()) {
      return absl::FailedPreconditionError(absl::StrCat(backup, ": ", std::string(s.message())));
    }
    fs::remove(fresh);
    SQLite::Database to(fresh, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    SQLite::Backup copy(to, from);
    copy.executeStep(-1);
    to.exec("PRAGMA journal_mode=DELETE");
    if (absl::Status s = Migrate(to, fresh, 3600); !s.ok()) return s;
    to.exec(absl::StrCat("UPDATE job SET epoch = epoch + ", 1'000'000, " WHERE finished_us IS NULL"));
  } catch (const SQLite::Exception& error) {
    return absl::FailedPreconditionError(absl::StrCat(backup, ": ", error.what()));
  }
  if (absl::Status s = SyncFile(fresh); !s.ok()) return s;
  const std::string aside = absl::StrCat(live, ".replaced-", support::Clock::Real().WallUs());
  for (const char* part : {"", "-wal", "-shm"}) {
    if (access((live + part).c_str(), F_OK) == 0 && support::Disk::Current().Rename(live + part, aside + part) != 0) {
      return support::ErrnoStatus("rename", live + part);
    }
  }
  if (support::Disk::Current().Rename(fresh, live) != 0) return support::ErrnoStatus("rename", fresh);
  if (absl::Status s = support::SyncDirectory(state); !s.ok()) return s;
  spdlog::info("restored {} from {}; the database of before is {}", live, backup, aside);
  return absl::OkStatus();
}

}  // namespace kernelopt::server
