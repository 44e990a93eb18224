// Job logs: one file per job, outside the database, capped.
//
// Each attempt's bytes follow those of the attempt before. A chunk says where
// in its attempt it belongs; what was written already is skipped, so a worker
// may repeat after a reconnect. Thread-safe. Does disk I/O.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "support/mutex.h"

namespace kernelopt::server {

class LogFiles {
 public:
  LogFiles(std::string root, int64_t max_bytes) : root_(std::move(root)), max_bytes_(max_bytes) {}

  // Appends a chunk of attempt `attempt` that starts at `offset` of it. Past
  // `cap` bytes of the whole log (never more than max_bytes) a line says so and
  // everything further is dropped.
  absl::Status Append(const std::string& job, int attempt, int64_t offset, std::string_view data,
                      int64_t cap = INT64_MAX);

  struct Piece {
    std::string data;
    bool truncated = false;  // the cap was reached and this is the end
  };
  // Up to `most` bytes from `offset`; empty when there are no more (yet).
  absl::StatusOr<Piece> Read(const std::string& job, int64_t offset, size_t most) const;
  // Bytes of a job's log now.
  int64_t Size(const std::string& job) const;
  void Remove(const std::string& job);
  // Nothing is appended for now: forgets what it remembered of the job.
  void Close(const std::string& job);

 private:
  std::string PathOf(const std::string& job) const { return root_ + "/" + job + ".log"; }
  struct Open {
    int attempt = 0;
    int64_t base = 0;  // file size when this attempt began
  };

  const std::string root_;
  const int64_t max_bytes_;
  mutable support::Mutex mutex_;
  std::map<std::string, Open> open_ KOPT_GUARDED_BY(mutex_);
};

}  // namespace kernelopt::server
