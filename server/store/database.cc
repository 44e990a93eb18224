#include "store/database.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>
#include <sys/vfs.h>

#include <atomic>
#include <deque>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spdlog/spdlog.h"
#include "store/health.h"
#include "store/migrations.h"
#include "store/prepared.h"
#include "support/clock.h"
#include "support/fail_point.h"
#include "support/files.h"
#include "support/mutex.h"
#include "support/status.h"

namespace kernelopt::server {
namespace {

using support::CondVar;
using support::Mutex;
using support::MutexLock;

absl::Status FromSqlite(const SQLite::Exception& error) {
  const int code = error.getErrorCode();
  const std::string text = absl::StrCat("database: ", error.what());
  if (code == SQLITE_FULL || code == SQLITE_IOERR) {
    return support::ReasonError(absl::StatusCode::kResourceExhausted, support::Reason::DISK_FULL,
                                absl::StrCat(text, "; free space in the state directory"));
  }
  return absl::InternalError(text);
}

absl::Status Guarded(const Database::Work& work, SQLite::Database& db) {
  try {
    return work(db);
  } catch (const SQLite::Exception& error) {
    return FromSqlite(error);
  } catch (const std::exception& error) {  // of a library: this item's end, not the daemon's
    return absl::InternalError(error.what());
  }
}

absl::Status RefuseNetworkFileSystem(const std::string& path) {
  struct statfs fs {};
  const std::string directory = path.substr(0, path.rfind('/'));
  if (statfs(directory.c_str(), &fs) != 0) return absl::OkStatus();
  const auto type = static_cast<unsigned long>(fs.f_type);
  // NFS, SMB, SMB2, CIFS, FUSE: locks and fsync are not what SQLite needs.
  for (const unsigned long bad : {0x6969UL, 0x517BUL, 0xFE534D42UL, 0xFF534D42UL, 0x65735546UL}) {
    if (type == bad) {
      return absl::FailedPreconditionError(absl::StrCat(
          directory, " is on a network or FUSE file system; set state.directory to a local disk"));
    }
  }
  return absl::OkStatus();
}

void Configure(SQLite::Database& db) {
  db.setBusyTimeout(5000);
  for (const char* pragma :
       {"PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "PRAGMA foreign_keys=ON",
        "PRAGMA trusted_schema=OFF", "PRAGMA journal_size_limit=67108864",
        "PRAGMA wal_autocheckpoint=1000"}) {
    SQLite::Statement statement(db, pragma);
    while (statement.executeStep()) {
    }
  }
  db.exec(absl::StrCat("PRAGMA application_id=", kApplicationId));
}

}  // namespace

struct Database::Impl {
  struct Item {
    Work work;
    Done done;
  };
  // A queue of items with the threads that serve it.
  struct Lane {
    Mutex mutex;
    CondVar wake;
    std::deque<Item> items KOPT_GUARDED_BY(mutex);
    bool closing KOPT_GUARDED_BY(mutex) = false;

    void Push(Item item) {
      MutexLock lock(mutex);
      items.push_back(std::move(item));
      wake.NotifyOne();
    }
    // Up to `most` items; empty when closing and nothing is left.
    std::vector<Item> Take(size_t most) {
      MutexLock lock(mutex);
      while (items.empty() && !closing) wake.Wait(mutex);
      std::vector<Item> out;
      while (!items.empty() && out.size() < most) {
        out.push_back(std::move(items.front()));
        items.pop_front();
      }
      return out;
    }
    void Close() {
      MutexLock lock(mutex);
      closing = true;
      wake.NotifyAll();
    }
  };

  DatabaseOptions options;
  std::unique_ptr<SQLite::Database> writer;
  std::vector<std::unique_ptr<SQLite::Database>> readers;
  Lane writes, reads, long_reads;
  std::thread writer_thread;
  std::vector<std::thread> reader_threads;
  std::atomic<int64_t> commits{0}, items{0};
  std::function<void(SQLite::Database&)> after_commit;
  std::function<void(double, int64_t)> on_commit;

  void RunWriter();
  void AfterCommit();
  static void RunReader(Lane& lane, SQLite::Database& db);
  absl::Status CommitGroup(std::vector<Item>& group, std::vector<absl::Status>& outcomes);
};

absl::Status Database::Impl::CommitGroup(std::vector<Item>& group,
                                         std::vector<absl::Status>& outcomes) {
  return Guarded(
      [&](SQLite::Database& db) {
        SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
        for (size_t i = 0; i < group.size(); ++i) {
          db.exec("SAVEPOINT item");
          outcomes[i] = Guarded(group[i].work, db);
          if (!outcomes[i].ok()) db.exec("ROLLBACK TO item");
          db.exec("RELEASE item");
        }
        KOPT_FAIL_POINT("daemon.before_commit");
        transaction.commit();
        KOPT_FAIL_POINT("daemon.after_commit");
        return absl::OkStatus();
      },
      *writer);
}

void Database::Impl::RunWriter() {
  const StatementCache cache(*writer);
  for (;;) {
    std::vector<Item> group = writes.Take(static_cast<size_t>(options.max_group));
    if (group.empty()) return;
    std::vector<absl::Status> outcomes(group.size());
    const double begin_s = support::MonotonicSeconds();
    const absl::Status committed = CommitGroup(group, outcomes);
    if (on_commit) {
      on_commit(support::MonotonicSeconds() - begin_s, static_cast<int64_t>(group.size()));
    }
    if (!committed.ok()) spdlog::error("commit failed: {}", std::string(committed.message()));
    ++commits;
    items += static_cast<int64_t>(group.size());
    if (committed.ok() && after_commit) AfterCommit();
    for (size_t i = 0; i < group.size(); ++i) {
      if (group[i].done) group[i].done(committed.ok() ? outcomes[i] : committed);
    }
  }
}

void Database::Impl::AfterCommit() {
  const absl::Status status = Guarded(
      [this](SQLite::Database& db) {
        after_commit(db);
        return absl::OkStatus();
      },
      *writer);
  if (!status.ok()) spdlog::error("after a commit: {}", std::string(status.message()));
}

void Database::Impl::RunReader(Lane& lane, SQLite::Database& db) {
  for (;;) {
    std::vector<Item> one = lane.Take(1);
    if (one.empty()) return;
    const absl::Status status = Guarded(one[0].work, db);
    if (one[0].done) one[0].done(status);
  }
}

Database::Database() : impl_(std::make_unique<Impl>()) {}

absl::StatusOr<std::unique_ptr<Database>> Database::Open(const DatabaseOptions& options) {
  if (absl::Status s = RefuseNetworkFileSystem(options.path); !s.ok()) return s;
  std::unique_ptr<Database> database(new Database());
  Impl& impl = *database->impl_;
  impl.options = options;
  try {
    impl.writer = std::make_unique<SQLite::Database>(options.path,
                                                     SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    Configure(*impl.writer);
    if (absl::Status s = Migrate(*impl.writer, options.path, options.check_seconds); !s.ok()) return s;
    // A new file's name has to be on disk before anything in it is promised.
    const std::string directory = options.path.substr(0, options.path.rfind('/'));
    if (absl::Status s = support::SyncDirectory(directory); !s.ok()) return s;
    for (int i = 0; i < options.readers + 1; ++i) {  // the last is for long work
      auto reader = std::make_unique<SQLite::Database>(options.path, SQLite::OPEN_READONLY);
      reader->setBusyTimeout(5000);
      reader->exec("PRAGMA query_only=ON");
      impl.readers.push_back(std::move(reader));
    }
  } catch (const SQLite::Exception& error) {
    return absl::FailedPreconditionError(absl::StrCat(
        "cannot open ", options.path, ": ", error.what(), "; if it is damaged, ",
        RestoreAdvice(options.path)));
  }
  impl.writer_thread = std::thread([&impl] { impl.RunWriter(); });
  for (auto& reader : impl.readers) {
    auto& lane = reader == impl.readers.back() ? impl.long_reads : impl.reads;
    impl.reader_threads.emplace_back([&lane, &db = *reader] { Impl::RunReader(lane, db); });
  }
  return database;
}

Database::~Database() {
  // Readers first: what they do may wait for the writer.
  impl_->reads.Close();
  impl_->long_reads.Close();
  for (std::thread& thread : impl_->reader_threads) thread.join();
  impl_->writes.Close();
  if (impl_->writer_thread.joinable()) impl_->writer_thread.join();
}

void Database::AfterCommit(std::function<void(SQLite::Database&)> hook) {
  impl_->after_commit = std::move(hook);
}

void Database::OnCommit(std::function<void(double, int64_t)> hook) {
  impl_->on_commit = std::move(hook);
}

void Database::Write(Work work, Done done) {
  impl_->writes.Push({std::move(work), std::move(done)});
}

void Database::Read(Work work, Done done) { impl_->reads.Push({std::move(work), std::move(done)}); }

void Database::ReadLong(Work work, Done done) {
  impl_->long_reads.Push({std::move(work), std::move(done)});
}

namespace {

// Turns the asynchronous form into a blocking one.
template <typename Start>
absl::Status Await(Start start) {
  struct Shared {
    Mutex mutex;
    CondVar wake;
    bool done KOPT_GUARDED_BY(mutex) = false;
    absl::Status status KOPT_GUARDED_BY(mutex);
  };
  auto shared = std::make_shared<Shared>();
  start([shared](absl::Status status) {
    MutexLock lock(shared->mutex);
    shared->status = std::move(status);
    shared->done = true;
    shared->wake.NotifyAll();
  });
  MutexLock lock(shared->mutex);
  while (!shared->done) shared->wake.Wait(shared->mutex);
  return shared->status;
}

}  // namespace

absl::Status Database::WriteAndWait(Work work) {
  return Await([&](Done done) { Write(std::move(work), std::move(done)); });
}

absl::Status Database::ReadAndWait(Work work) {
  return Await([&](Done done) { Read(std::move(work), std::move(done)); });
}

Database::Groups Database::groups() const { return {impl_->commits, impl_->items}; }

}  // namespace kernelopt::server
