#include "build/cache.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "support/files.h"
#include "support/sha256.h"

namespace kernelopt::worker {
namespace {

namespace fs = std::filesystem;
constexpr size_t kDigest = 64;

}  // namespace

std::optional<std::string> ObjectCache::Get(const std::string& key) const {
  const std::string path = directory_ + "/" + key + ".so";
  auto stored = support::ReadFile(path);
  if (!stored.ok() || stored->size() <= kDigest) return std::nullopt;
  std::string object = stored->substr(0, stored->size() - kDigest);
  if (support::Sha256Hex(object) != stored->substr(object.size())) return std::nullopt;
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  return object;
}

void ObjectCache::Put(const std::string& key, const std::string& object) const {
  (void)support::WriteFileDurably(directory_ + "/" + key + ".so",
                                  object + support::Sha256Hex(object));
  Trim();
}

void ObjectCache::Trim() const {
  struct Entry {
    fs::path path;
    fs::file_time_type used;
    int64_t bytes;
  };
  std::vector<Entry> entries;
  std::error_code error;
  int64_t total = 0;
  for (const auto& file : fs::directory_iterator(directory_, error)) {
    entries.push_back({file.path(), file.last_write_time(error),
                       static_cast<int64_t>(file.file_size(error))});
    total += entries.back().bytes;
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= max_bytes_) return;
    fs::remove(entry.path, error);
    total -= entry.bytes;
  }
}

}  // namespace kernelopt::worker
