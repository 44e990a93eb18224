// Files and descriptors, with errors that name the path.
//
// Free functions are thread-safe. A Status is NOT_FOUND for ENOENT,
// RESOURCE_EXHAUSTED for ENOSPC/EDQUOT, else INTERNAL.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace kernelopt::support {

// Owns one file descriptor.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) Reset(std::exchange(other.fd_, -1));
    return *this;
  }
  ~UniqueFd() { Reset(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int Release() { return std::exchange(fd_, -1); }
  void Reset(int fd = -1);

 private:
  int fd_ = -1;
};

// Status for the current errno: "<what> <path>: <strerror>".
absl::Status ErrnoStatus(std::string_view what, std::string_view path);

absl::StatusOr<std::string> ReadFile(const std::string& path);
// All that is left to read from a descriptor.
absl::StatusOr<std::string> ReadAll(int fd);
// Writes every byte, across short writes and EINTR.
absl::Status WriteAll(int fd, std::string_view data);

// Durable when it returns OK: temporary file, fsync, rename, fsync of the
// directory. Readers see the old content or the new one, never a part.
absl::Status WriteFileDurably(const std::string& path, std::string_view data, int mode = 0600);
absl::Status SyncDirectory(const std::string& path);

// mkdir -p; OK when it is there already.
absl::Status MakeDirectories(const std::string& path, int mode = 0700);

// The directory the running program lies in, without a trailing slash.
std::string ProgramDirectory();

// Holds an exclusive flock on `path` (created 0600) until destroyed.
// UNAVAILABLE when another process holds it. The text `note` is written into
// it, so that people can see who holds it.
absl::StatusOr<UniqueFd> LockFile(const std::string& path, std::string_view note);

}  // namespace kernelopt::support
