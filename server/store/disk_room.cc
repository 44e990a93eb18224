#include "store/disk_room.h"

#include <sys/statvfs.h>

#include "absl/strings/str_cat.h"
#include "spdlog/spdlog.h"
#include "support/status.h"

namespace kernelopt::server {

void DiskRoom::Look() {
  struct statvfs fs {};
  if (statvfs(directory_.c_str(), &fs) != 0) return;
  free_ = static_cast<int64_t>(fs.f_bavail) * static_cast<int64_t>(fs.f_frsize);
  const bool was = full_;
  const bool now = free_ < (was ? min_free_ + min_free_ / 10 : min_free_);
  full_ = now;
  if (now && !was) spdlog::error("{}", std::string(Check().message()));
  if (was && !now) spdlog::info("{} has room again; taking jobs", directory_);
}

absl::Status DiskRoom::Check() const {
  if (!full_) return absl::OkStatus();
  return support::TryAgainIn(
      30, support::Reason::DISK_FULL,
      absl::StrCat("only ", free_ >> 20, " MiB are free in ", directory_, " (limits.min_free_bytes: ",
                   min_free_ >> 20, " MiB); no new jobs are taken until there is more, running ones "
                   "finish"));
}

}  // namespace kernelopt::server
