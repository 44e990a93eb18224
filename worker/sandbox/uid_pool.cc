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

// 0 too when it is gone, or has ended and only waits to be looked at. The owner of
// its folder would be root's where it may not be dumped.
uid_t UidOf(pid_t pid) {
  std::ifstream status(absl::StrCat("/proc/", pid, "/status"));
  for (std::string word; status >> word;) {
    uid_t uid = 0;
    if (word == "State:" && status >> word && word == "Z") return 0;
    if (word == "Uid:" && status >> uid) return uid;
  }
  return 0;
}

// Of a bwrap whose parent was killed before it had asked to die with it: the uid
// that its program would have had.
uid_t UidOfOrphanedBwrap(pid_t pid) {
  std::ifstream stat(absl::StrCat("/proc/", pid, "/stat"));
  std::string text;
  std::getline(stat, text);
  if (text.find(" (bwrap) ") == std::string::npos || text.find(") S 1 ") == std::string::npos) return 0;
  std::ifstream command(absl::StrCat("/proc/", pid, "/cmdline"));
  uid_t uid = 0;
  for (std::string word; std::getline(command, word, '\0');) {
    if (word == "--reuid" && std::getline(command, word, '\0') && absl::SimpleAtoi(word, &uid)) return uid;
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
    const uid_t own = UidOf(pid), uid = own != 0 ? own : UidOfOrphanedBwrap(pid);
    if (uid < kUidPoolFirst || uid >= kUidPoolFirst + kUidPoolSize) continue;
    // The lock is held meanwhile: nobody begins to use the uid.
    const auto lock = support::LockFile(absl::StrCat(kDirectory, "/", uid - kUidPoolFirst), "");
    if (lock.ok() && kill(pid, SIGKILL) == 0) ++ended;
  }
  return ended;
}

}  // namespace kernelopt::worker
