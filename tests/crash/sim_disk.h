// A disk that can lose its power, in memory beside the real one.
//
// It sees every change of files below one directory: those of support::Disk, and
// SQLite's through a VFS. Each also happens for real, so that programs can read.
// What a power cut leaves is computed: of every file what was synced last, and
// of the writes since then a random part, down to 512-byte sectors; of names
// that were made, renamed or removed without a sync of their folder, either. It
// can also make one of the calls fail.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "support/disk.h"

struct sqlite3_file;

namespace kernelopt::test {

class SimDisk final : public support::Disk {
 public:
  // Below `root`, which ends without a slash. Becomes support::Disk::Current()
  // and SQLite's default VFS until destroyed.
  explicit SimDisk(std::string root);
  ~SimDisk() override;

  enum class Fault { kNone, kEio, kEnospc, kShort };
  // The `at`-th call from now fails (1 is the next); `times` calls in a row.
  void FailAt(int64_t at, Fault fault, int64_t times = 1);
  // The `at`-th call from now, and all after it, fail: the power is gone.
  void CutAt(int64_t at);
  // Calls since the beginning.
  int64_t calls() const;
  // What would be found after the power came back, written into `directory`.
  void WriteImage(const std::string& directory, std::mt19937& random) const;

  int Open(const std::string& path, int flags, mode_t mode) override;
  int OpenTemporary(std::string& path) override;
  ssize_t Write(int fd, const void* data, size_t size) override;
  int Sync(int fd) override;
  int Rename(const std::string& from, const std::string& to) override;
  int Unlink(const std::string& path) override;

  // For the VFS.
  Fault Count();
  void NoteOpen(const std::string& path);
  void NoteWrite(const std::string& path, int64_t offset, const void* data, size_t size);
  void NoteTruncate(const std::string& path, int64_t size);
  void NoteSync(const std::string& path);
  void NoteUnlink(const std::string& path);

 private:
  struct Change {
    int64_t offset;     // -1: truncate to `size`
    std::string bytes;
    int64_t size = 0;
  };
  struct File {
    std::string durable;
    std::vector<Change> since;
  };
  using Names = std::map<std::string, int>;  // path -> file

  int IdOf(const std::string& path);  // makes it where it is not
  void SyncNames(const std::string& folder);
  static void Apply(std::string& content, const Change& change);
  static void ApplyTorn(std::string& content, const Change& change, std::mt19937& random);

  const std::string root_;
  mutable std::mutex mutex_;
  int64_t calls_ = 0, fail_at_ = -1, fail_times_ = 0, cut_at_ = -1;
  Fault fault_ = Fault::kNone;
  int next_id_ = 1;
  std::map<int, File> files_;
  Names names_, durable_names_;
  std::map<int, std::string> open_;  // descriptor -> path
};

}  // namespace kernelopt::test
