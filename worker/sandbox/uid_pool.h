// One uid for each live sandbox on this machine.
//
// The pool is shared by all workers: a uid is taken by locking its file, and
// the lock goes with the process that holds it, however that ends.
#pragma once

#include <sys/types.h>

#include <string>

#include "absl/status/statusor.h"
#include "support/files.h"

namespace kernelopt::worker {

inline constexpr uid_t kUidPoolFirst = 0x6b6f0000;  // 1,802,436,608; used by nobody else
inline constexpr int kUidPoolSize = 256;

// A uid that nobody else has while this object lives.
class PooledUid {
 public:
  // RESOURCE_EXHAUSTED when all are taken.
  static absl::StatusOr<PooledUid> Take();
  uid_t uid() const { return uid_; }

 private:
  PooledUid(uid_t uid, support::UniqueFd lock) : uid_(uid), lock_(std::move(lock)) {}
  uid_t uid_;
  support::UniqueFd lock_;
};

// Kills what runs under uids that nobody has: left by a worker that was killed, as
// once a stopped runner was whose bwrap had died. How many. As root only.
int EndOrphans();

}  // namespace kernelopt::worker
