// Results that the server has not confirmed yet, on disk.
//
// A result is durable before it is sent and removed after its receipt, so that
// it survives the worker and the daemon. A refused one goes to rejected/ for
// people to look at. Not thread-safe: the session guards it.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernelopt/v1/worker_service.pb.h"

namespace kernelopt::worker {

class Spool {
 public:
  static absl::StatusOr<Spool> Open(const std::string& directory);

  absl::Status Put(const v1::ResultReport& report);
  // Everything there, oldest first; unreadable files are moved to rejected/.
  std::vector<v1::ResultReport> All() const;
  void Remove(const v1::LeaseId& lease) const;
  void Reject(const v1::LeaseId& lease) const;

 private:
  explicit Spool(std::string directory) : directory_(std::move(directory)) {}
  std::string directory_;
};

}  // namespace kernelopt::worker
