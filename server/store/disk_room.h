// Is there room in the state directory?
//
// Below `min_free` bytes nothing new is taken in (jobs, blobs), so that what is
// queued and running can still be finished and recorded; it heals by itself
// when a tenth more than that is free again. Thread-safe; Look does one statvfs.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace kernelopt::server {

class DiskRoom {
 public:
  DiskRoom(std::string directory, int64_t min_free)
      : directory_(std::move(directory)), min_free_(min_free) {}

  // Call it about once a second.
  void Look();
  // RESOURCE_EXHAUSTED DISK_FULL while there is too little.
  absl::Status Check() const;
  int64_t free_bytes() const { return free_; }

 private:
  const std::string directory_;
  const int64_t min_free_;
  std::atomic<int64_t> free_{INT64_MAX};
  std::atomic<bool> full_{false};
};

}  // namespace kernelopt::server
