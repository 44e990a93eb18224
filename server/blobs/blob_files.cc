#include "blobs/blob_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "support/disk.h"
#include "support/fail_point.h"
#include "support/status.h"

namespace kernelopt::server {
namespace {

using support::Disk;

std::string DirectoryFor(const std::string& root, const std::string& digest) {
  return absl::StrCat(root, "/", digest.substr(0, 2));
}

std::string PathFor(const std::string& root, const std::string& digest) {
  return absl::StrCat(DirectoryFor(root, digest), "/", digest);
}

}  // namespace

absl::StatusOr<BlobFiles> BlobFiles::Open(const std::string& root) {
  const std::string incoming = root + "/incoming";
  if (absl::Status s = support::MakeDirectories(incoming); !s.ok()) return s;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(incoming, ignored)) {
    std::filesystem::remove(entry.path(), ignored);
  }
  // All of them now and synced, so that no upload depends on a folder that a
  // power cut takes away again.
  for (int i = 0; i < 256; ++i) {
    if (absl::Status s = support::MakeDirectories(absl::StrFormat("%s/%02x", root, i)); !s.ok()) return s;
  }
  if (absl::Status s = support::SyncDirectory(root); !s.ok()) return s;
  return BlobFiles(root);
}

absl::StatusOr<std::unique_ptr<BlobFiles::Upload>> BlobFiles::Begin(int64_t max_bytes) const {
  auto upload = std::make_unique<Upload>();
  upload->root_ = root_;
  upload->max_bytes_ = max_bytes;
  upload->temporary_ = root_ + "/incoming/XXXXXX";
  upload->fd_.Reset(Disk::Current().OpenTemporary(upload->temporary_));
  if (!upload->fd_.valid()) return support::ErrnoStatus("create", upload->temporary_);
  return upload;
}

BlobFiles::Upload::~Upload() {
  if (!temporary_.empty()) Disk::Current().Unlink(temporary_);
}

absl::Status BlobFiles::Upload::Append(std::string_view data) {
  size_ += static_cast<int64_t>(data.size());
  if (size_ > max_bytes_) {
    return support::ReasonError(
        absl::StatusCode::kResourceExhausted, support::Reason::BLOB_TOO_LARGE,
        absl::StrCat("a blob may have at most ", max_bytes_, " bytes (limits.blob_bytes)"));
  }
  hash_.Update(data);
  return support::WriteAll(fd_.get(), data);
}

absl::Status BlobFiles::Upload::Commit(const std::string& digest) {
  const std::string actual = hash_.FinishHex();
  if (actual != digest) {
    return support::ReasonError(
        absl::StatusCode::kInvalidArgument, support::Reason::DIGEST_MISMATCH,
        absl::StrCat("the bytes sent have the digest ", actual, ", not ", digest));
  }
  if (Disk::Current().Sync(fd_.get()) != 0) return support::ErrnoStatus("fsync", temporary_);
  if (Disk::Current().Rename(temporary_, PathFor(root_, digest)) != 0) {
    return support::ErrnoStatus("rename to", PathFor(root_, digest));
  }
  temporary_.clear();
  KOPT_FAIL_POINT("daemon.blob_renamed");
  return support::SyncDirectory(DirectoryFor(root_, digest));
}

absl::StatusOr<std::string> BlobFiles::Read(const std::string& digest, int64_t offset,
                                            size_t most) const {
  const std::string path = PathFor(root_, digest);
  support::UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return support::ErrnoStatus("open", path);
  std::string data(most, '\0');
  const ssize_t n = pread(fd.get(), data.data(), most, offset);
  if (n < 0) return support::ErrnoStatus("read", path);
  data.resize(static_cast<size_t>(n));
  return data;
}

bool BlobFiles::Has(const std::string& digest) const {
  return access(PathFor(root_, digest).c_str(), F_OK) == 0;
}

void BlobFiles::Remove(const std::string& digest) const {
  Disk::Current().Unlink(PathFor(root_, digest));
}

std::vector<std::string> BlobFiles::WrittenBefore(int64_t before_us) const {
  std::vector<std::string> digests;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root_, ignored)) {
    const std::string name = entry.path().filename();
    struct stat info {};
    if (!support::IsSha256Hex(name) || stat(entry.path().c_str(), &info) != 0) continue;
    const int64_t written_us = info.st_mtim.tv_sec * 1'000'000 + info.st_mtim.tv_nsec / 1000;
    if (S_ISREG(info.st_mode) && written_us < before_us) digests.push_back(name);
  }
  return digests;
}

}  // namespace kernelopt::server
