#include "logs/log_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "support/files.h"

namespace kernelopt::server {
namespace {

std::string CapLine(int64_t max_bytes) {
  return absl::StrCat("\n[log capped at ", max_bytes, " bytes]\n");
}

bool EndsWithCapLine(int fd, int64_t size) {
  constexpr int64_t kLongest = 64;
  std::string tail(static_cast<size_t>(std::min(size, kLongest)), '\0');
  const ssize_t n = pread(fd, tail.data(), tail.size(), size - static_cast<int64_t>(tail.size()));
  return n > 0 && tail.ends_with(" bytes]\n") && tail.find("\n[log capped at ") != std::string::npos;
}

int64_t SizeOf(int fd) {
  struct stat info {};
  return fstat(fd, &info) == 0 ? static_cast<int64_t>(info.st_size) : 0;
}

// Where attempt `attempt` starts: kept in a header line, so that a restarted
// daemon goes on at the right place.
std::string AttemptLine(int attempt) { return absl::StrCat("==> attempt ", attempt, " <==\n"); }

int64_t FindBase(int fd, int attempt) {
  std::string text(static_cast<size_t>(SizeOf(fd)), '\0');
  const ssize_t n = pread(fd, text.data(), text.size(), 0);
  if (n <= 0) return -1;
  const std::string line = AttemptLine(attempt);
  const size_t at = text.rfind(line);
  if (at == std::string::npos || (at > 0 && text[at - 1] != '\n')) return -1;
  return static_cast<int64_t>(at + line.size());
}

}  // namespace

absl::Status LogFiles::Append(const std::string& job, int attempt, int64_t offset,
                              std::string_view data, int64_t cap) {
  cap = std::min(cap, max_bytes_);
  support::MutexLock lock(mutex_);
  const std::string path = PathOf(job);
  support::UniqueFd fd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0600));
  if (!fd.valid()) return support::ErrnoStatus("open", path);
  Open& state = open_[job];
  if (state.attempt != attempt) {
    state.attempt = attempt;
    state.base = FindBase(fd.get(), attempt);
    if (state.base < 0) {
      const int64_t size = SizeOf(fd.get());
      if (absl::Status s = support::WriteAll(fd.get(), AttemptLine(attempt)); !s.ok()) return s;
      state.base = size + static_cast<int64_t>(AttemptLine(attempt).size());
    }
  }
  const int64_t size = SizeOf(fd.get());
  if (size >= cap) return absl::OkStatus();
  const int64_t have = size - state.base;
  if (offset > have) offset = have;  // a gap (lost with a crash) is closed, not padded
  const int64_t skip = have - offset;
  if (skip >= static_cast<int64_t>(data.size())) return absl::OkStatus();
  data.remove_prefix(static_cast<size_t>(skip));
  const int64_t room = cap - size;
  if (static_cast<int64_t>(data.size()) < room) return support::WriteAll(fd.get(), data);
  if (absl::Status s = support::WriteAll(fd.get(), data.substr(0, static_cast<size_t>(room)));
      !s.ok()) {
    return s;
  }
  return support::WriteAll(fd.get(), CapLine(cap));
}

absl::StatusOr<LogFiles::Piece> LogFiles::Read(const std::string& job, int64_t offset,
                                               size_t most) const {
  const std::string path = PathOf(job);
  support::UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return Piece{};  // nothing was logged yet
  Piece piece;
  piece.data.resize(most);
  const ssize_t n = pread(fd.get(), piece.data.data(), most, offset);
  if (n < 0) return support::ErrnoStatus("read", path);
  piece.data.resize(static_cast<size_t>(n));
  const int64_t end = offset + static_cast<int64_t>(n);
  piece.truncated = end >= SizeOf(fd.get()) && EndsWithCapLine(fd.get(), end);
  return piece;
}

int64_t LogFiles::Size(const std::string& job) const {
  struct stat info {};
  return stat(PathOf(job).c_str(), &info) == 0 ? static_cast<int64_t>(info.st_size) : 0;
}

void LogFiles::Remove(const std::string& job) { unlink(PathOf(job).c_str()); }

void LogFiles::Close(const std::string& job) {
  support::MutexLock lock(mutex_);
  open_.erase(job);
}

}  // namespace kernelopt::server
