#include "sandbox/uid_pool.h"

#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace kernelopt::worker {
namespace {

constexpr char kDirectory[] = "/run/kernelopt-uids";

// 0 too when it is gone. The owner of its folder would be root's where it may not
// be dumped.
uid_t UidOf(pid_t pid) {
  std::ifstream status(absl::StrCat("/proc/", pid, "/status"));
  for (std::string word; status >> word;) {
    uid_t uid = 0;
    if (word == "Uid:" && status >> uid) return uid;
  }
  return 0;
}

}  // namespace

absl::StatusOr<PooledUid> PooledUid::Take() {
  static int next = 0;
  if (absl::Status s = support::MakeDirectories(kDirectory, 0700); !s.ok()) return s;
  for (int i = 0; i < kUidPoolSize; ++i) {
    const int slot = (next + i) % kUidPoolSize;
    auto lock = support::LockFile(absl::StrCat(kDirectory, "/", slot), "");
    if (!lock.ok()) continue;
    // Round robin: a uid rests before it is used again.
    next = slot + 1;
    return PooledUid(kUidPoolFirst + static_cast<uid_t>(slot), *std::move(lock));
  }
  return absl::ResourceExhaustedError(
      absl::StrCat("all ", kUidPoolSize, " sandbox uids are in use (", kDirectory, ")"));
}

int EndOrphans() {
  if (geteuid() != 0) return 0;
  int ended = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    pid_t pid = 0;
    if (!absl::SimpleAtoi(entry.path().filename().string(), &pid)) continue;
    const uid_t uid = UidOf(pid);
    if (uid < kUidPoolFirst || uid >= kUidPoolFirst + kUidPoolSize) continue;
    // The lock is held meanwhile: nobody begins to use the uid.
    const auto lock = support::LockFile(absl::StrCat(kDirectory, "/", uid - kUidPoolFirst), "");
    if (lock.ok() && kill(pid, SIGKILL) == 0) ++ended;
  }
  return ended;
}

}  // namespace kernelopt::worker
