// Blob bytes on disk: <root>/<first two digits>/<digest>, written once.
//
// A blob file exists only whole and fsynced: bytes go to a temporary file and
// are renamed after the digest was checked. Thread-safe; two writers of one
// blob both succeed. Does disk I/O: call it from a pool thread, not from a
// gRPC handler.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "support/files.h"
#include "support/sha256.h"

namespace kernelopt::server {

class BlobFiles {
 public:
  // Creates `root` and removes what interrupted writers left there.
  static absl::StatusOr<BlobFiles> Open(const std::string& root);

  // One upload. Removed without a trace unless Commit returned OK.
  class Upload {
   public:
    ~Upload();
    // RESOURCE_EXHAUSTED BLOB_TOO_LARGE past `max_bytes`.
    absl::Status Append(std::string_view data);
    // INVALID_ARGUMENT DIGEST_MISMATCH when the bytes are not `digest`.
    // Durable when OK.
    absl::Status Commit(const std::string& digest);
    int64_t size() const { return size_; }

   private:
    friend class BlobFiles;
    std::string root_, temporary_;
    support::UniqueFd fd_;
    support::Sha256 hash_;
    int64_t size_ = 0, max_bytes_ = 0;
  };
  absl::StatusOr<std::unique_ptr<Upload>> Begin(int64_t max_bytes) const;

  // Up to `most` bytes from `offset`; empty at the end. NOT_FOUND.
  absl::StatusOr<std::string> Read(const std::string& digest, int64_t offset, size_t most) const;
  bool Has(const std::string& digest) const;
  void Remove(const std::string& digest) const;
  // Digests of the files whose last write was before `before_us` (wall clock).
  std::vector<std::string> WrittenBefore(int64_t before_us) const;

 private:
  explicit BlobFiles(std::string root) : root_(std::move(root)) {}
  std::string root_;
};

}  // namespace kernelopt::server
