// A statement that stays compiled for as long as its connection's thread lives.
//
// For the statements of CreateJob: compiling them costs more than running them.
// On other threads than the database's own, and while the same text is in use
// further up, it is compiled anew.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <map>
#include <memory>
#include <string>

namespace kernelopt::server {

class StatementCache {
 public:
  // Of the thread that makes it, until destroyed (before the connection).
  explicit StatementCache(SQLite::Database& db) : db_(&db) { current_ = this; }
  ~StatementCache() { current_ = nullptr; }

 private:
  friend class Prepared;
  struct Entry {
    std::unique_ptr<SQLite::Statement> statement;
    bool in_use = false;
  };
  static inline thread_local StatementCache* current_ = nullptr;
  SQLite::Database* const db_;
  std::map<std::string, Entry, std::less<>> entries_;
};

class Prepared {
 public:
  Prepared(SQLite::Database& db, const std::string& sql) {
    StatementCache* cache = StatementCache::current_;
    if (cache != nullptr && cache->db_ == &db) entry_ = &cache->entries_[sql];
    if (entry_ == nullptr || entry_->in_use) {
      entry_ = nullptr;
      own_ = std::make_unique<SQLite::Statement>(db, sql);
      return;
    }
    if (!entry_->statement) entry_->statement = std::make_unique<SQLite::Statement>(db, sql);
    entry_->in_use = true;
  }
  ~Prepared() {
    if (entry_ == nullptr) return;
    (void)entry_->statement->tryReset();  // what the last step failed with is known already
    entry_->statement->clearBindings();
    entry_->in_use = false;
  }
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  SQLite::Statement& operator*() { return own_ ? *own_ : *entry_->statement; }

 private:
  std::unique_ptr<SQLite::Statement> own_;
  StatementCache::Entry* entry_ = nullptr;
};

}  // namespace kernelopt::server
