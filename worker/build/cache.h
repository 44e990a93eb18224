// Shared objects, and what belongs to them, by key: <directory>/<key>.so, least recently used out.
//
// A damaged or missing cache only costs time. Each entry ends with the SHA-256
// of what is before it, so a torn file is a miss. One process uses a directory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kernelopt::worker {

class ObjectCache {
 public:
  ObjectCache(std::string directory, int64_t max_bytes)
      : directory_(std::move(directory)), max_bytes_(max_bytes) {}

  std::optional<std::string> Get(const std::string& key) const;
  // Best effort: a full disk is no error.
  void Put(const std::string& key, const std::string& object) const;

 private:
  void Trim() const;
  const std::string directory_;
  const int64_t max_bytes_;
};

}  // namespace kernelopt::worker
