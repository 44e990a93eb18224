// kernelopt-d as an object: wires the rooms, runs until told to stop.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "support/config.h"

namespace kernelopt::server {

class Daemon {
 public:
  // Takes the lock of the state directory, opens the store, starts to serve.
  // FAILED_PRECONDITION: another daemon has the directory, or the database
  // cannot be used; the message says what to do.
  static absl::StatusOr<std::unique_ptr<Daemon>> Start(const support::Config& config);
  // The store still commits. Blocks for as long as one commit takes.
  bool Healthy();
  // Stops accepting, lets workers finish, closes the store.
  ~Daemon();

 private:
  Daemon();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kernelopt::server
