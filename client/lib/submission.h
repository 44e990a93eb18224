// From files on disk to a job: hash, upload what is missing, create.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/lib/client.h"

namespace kernelopt::client {

// Collects the files of a submission; each distinct content is uploaded once.
class Submission {
 public:
  // Reads `path`; the job will know it as `as` (default: its last part).
  // NOT_FOUND with the path.
  absl::StatusOr<v1::SourceFile> AddFile(const std::string& path, const std::string& as = "");

  // Uploads what the server does not have, then creates the job. `request_id`
  // empty: a new one is made, so that retries inside are safe.
  absl::StatusOr<v1::CreateJobResponse> Create(Client& client, const v1::JobSpec& spec,
                                               const std::string& request_id);

 private:
  struct Blob {
    std::string digest, bytes;
  };
  std::vector<Blob> blobs_;
};

// [a-z0-9-]{1,32} made from a file name, different from all in `taken`.
std::string SubjectIdFor(const std::string& path, const std::vector<std::string>& taken);

}  // namespace kernelopt::client
