// The durable half of the daemon (store, blobs, logs) at work on random
// operations, remembering what it promised.
#pragma once

#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "blobs/blob_files.h"
#include "store/database.h"

namespace kernelopt::test {

class Box {
 public:
  explicit Box(std::string directory) : directory_(std::move(directory)) {}

  // Opens what is there. An error is the daemon's refusal to start.
  absl::Status Open();
  void Close();
  // One random operation: upload, submit, claim, finish, cancel. Its outcome.
  absl::Status Step(std::mt19937& random);
  // `n` operations whose commits may be shared.
  void Burst(int n, std::mt19937& random);

  // Everything promised so far is there, once, and the file is sound; else what
  // is wrong.
  std::string Check();

  const std::string& directory() const { return directory_; }
  // Goes on as the same box on what another directory holds.
  void MoveTo(std::string directory) { directory_ = std::move(directory); }
  int promises() const { return static_cast<int>(blobs_.size() + jobs_.size() + results_.size()); }

 private:
  absl::Status Upload(std::mt19937& random);
  void Submit(std::mt19937& random, server::Database::Done done);
  absl::Status ClaimAndFinish(std::mt19937& random);
  absl::Status Cancel(std::mt19937& random);

  std::string directory_;
  std::unique_ptr<server::Database> database_;
  std::unique_ptr<server::BlobFiles> files_;
  std::vector<std::string> blobs_;           // acknowledged digests
  std::vector<std::string> jobs_;            // acknowledged public ids
  std::set<std::string> results_, cancelled_;  // acknowledged ends
  int64_t made_ = 0;
};

}  // namespace kernelopt::test
