#include "support/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "support/disk.h"

namespace kernelopt::support {
namespace {

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

void UniqueFd::Reset(int fd) {
  if (fd_ >= 0) close(fd_);
  fd_ = fd;
}

absl::Status ErrnoStatus(std::string_view what, std::string_view path) {
  const int error = errno;
  const std::string text = absl::StrCat(std::string(what), " ", std::string(path), ": ",
                                        std::string(std::strerror(error)));
  if (error == ENOENT) return absl::NotFoundError(text);
  if (error == ENOSPC || error == EDQUOT) return absl::ResourceExhaustedError(text);
  return absl::InternalError(text);
}

absl::StatusOr<std::string> ReadAll(int fd) {
  std::string out;
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t n = read(fd, buffer.data(), buffer.size());
    if (n == 0) return out;
    if (n < 0) {
      if (errno == EINTR) continue;
      return ErrnoStatus("read", "descriptor");
    }
    out.append(buffer.data(), static_cast<size_t>(n));
  }
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return ErrnoStatus("open", path);
  return ReadAll(fd.get());
}

absl::Status WriteAll(int fd, std::string_view data) {
  while (!data.empty()) {
    const ssize_t n = Disk::Current().Write(fd, data.data(), data.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      return ErrnoStatus("write", "descriptor");
    }
    data.remove_prefix(static_cast<size_t>(n));
  }
  return absl::OkStatus();
}

absl::Status SyncDirectory(const std::string& path) {
  UniqueFd fd(Disk::Current().Open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
  if (!fd.valid()) return ErrnoStatus("open", path);
  if (Disk::Current().Sync(fd.get()) != 0) return ErrnoStatus("fsync", path);
  return absl::OkStatus();
}

absl::Status WriteFileDurably(const std::string& path, std::string_view data, int mode) {
  std::string temporary = path + ".XXXXXX";
  UniqueFd fd(Disk::Current().OpenTemporary(temporary));
  if (!fd.valid()) return ErrnoStatus("create", temporary);
  absl::Status status = WriteAll(fd.get(), data);
  if (status.ok() && fchmod(fd.get(), static_cast<mode_t>(mode)) != 0) {
    status = ErrnoStatus("chmod", temporary);
  }
  if (status.ok() && Disk::Current().Sync(fd.get()) != 0) status = ErrnoStatus("fsync", temporary);
  if (status.ok() && Disk::Current().Rename(temporary, path) != 0) {
    status = ErrnoStatus("rename to", path);
  }
  if (!status.ok()) {
    Disk::Current().Unlink(temporary);
    return status;
  }
  return SyncDirectory(DirectoryOf(path));
}

absl::Status MakeDirectories(const std::string& path, int mode) {
  for (size_t slash = 1; slash != std::string::npos;) {
    slash = path.find('/', slash);
    const std::string part = path.substr(0, slash);
    if (mkdir(part.c_str(), static_cast<mode_t>(mode)) != 0 && errno != EEXIST) {
      return ErrnoStatus("mkdir", part);
    }
    if (slash != std::string::npos) ++slash;
  }
  return absl::OkStatus();
}

std::string ProgramDirectory() {
  std::array<char, 4096> buffer{};
  const ssize_t n = readlink("/proc/self/exe", buffer.data(), buffer.size() - 1);
  if (n <= 0) return ".";
  return DirectoryOf(std::string(buffer.data(), static_cast<size_t>(n)));
}

absl::StatusOr<UniqueFd> LockFile(const std::string& path, std::string_view note) {
  UniqueFd fd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd.valid()) return ErrnoStatus("open lock", path);
  if (flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return ErrnoStatus("lock", path);
    const absl::StatusOr<std::string> holder = ReadAll(fd.get());
    return absl::UnavailableError(
        absl::StrCat(path, " is held by ", holder.ok() ? *holder : std::string("another process")));
  }
  if (ftruncate(fd.get(), 0) != 0) return ErrnoStatus("truncate lock", path);
  if (absl::Status s = WriteAll(fd.get(), note); !s.ok()) return s;
  return fd;
}

}  // namespace kernelopt::support
