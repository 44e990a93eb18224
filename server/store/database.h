// The SQLite file: one writer thread, a pool of reader threads.
//
// Every change goes through Write: work items that wait together are committed
// together (group commit, synchronous=FULL), each inside its own savepoint, so
// that one failing item takes nothing of its neighbours with it. `done` runs
// after the commit, on the writer thread: keep it short. The writer's is the
// only read-write connection and does every checkpoint (SQLite before 3.51.3
// can corrupt a WAL when two connections do).
//
// Errors inside work are absl::Status; SQLite's own errors become
// RESOURCE_EXHAUSTED DISK_FULL or INTERNAL. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace SQLite {
class Database;
}

namespace kernelopt::server {

struct DatabaseOptions {
  std::string path;
  int readers = 2;
  int max_group = 256;  // work items in one commit
  double check_seconds = 1;  // quick_check at the start is given up after this long
};

class Database {
 public:
  using Work = std::function<absl::Status(SQLite::Database&)>;
  using Done = std::function<void(absl::Status)>;

  // Opens or creates the file and migrates it (a copy `<path>.v<N>` is made
  // first). FAILED_PRECONDITION: the file is newer than this program, or
  // damaged, or on a network file system.
  static absl::StatusOr<std::unique_ptr<Database>> Open(const DatabaseOptions& options);
  // Finishes what waits, then closes.
  ~Database();

  // Called on the writer thread after each commit, before any `done`, with the
  // read-write connection: for what follows from changes. Set it before the
  // first Write.
  void AfterCommit(std::function<void(SQLite::Database&)> hook);

  void Write(Work work, Done done);
  // Blocks; never call it from `done` or from a gRPC handler.
  absl::Status WriteAndWait(Work work);

  // Runs `work` on a reader thread with a read-only connection.
  void Read(Work work, Done done);
  absl::Status ReadAndWait(Work work);
  // The same on a thread of its own, one after the other: backups, archives. Such
  // work may WriteAndWait.
  void ReadLong(Work work, Done done);

  // Groups committed and items in them, since the start.
  struct Groups {
    int64_t commits = 0, items = 0;
  };
  Groups groups() const;
  // Told of each commit: its length in seconds, how many items it carried. Set
  // it before the first Write.
  void OnCommit(std::function<void(double, int64_t)> hook);

 private:
  Database();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kernelopt::server
