#include "sandbox/uid_pool.h"

#include "absl/strings/str_cat.h"

namespace kernelopt::worker {
namespace {

constexpr char kDirectory[] = "/run/kernelopt-uids";

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

}  // namespace kernelopt::worker
