#include "client/lib/submission.h"

#include <algorithm>
#include <cctype>

#include "absl/strings/str_cat.h"
#include "support/files.h"
#include "support/ids.h"
#include "support/sha256.h"

namespace kernelopt::client {

absl::StatusOr<v1::SourceFile> Submission::AddFile(const std::string& path, const std::string& as) {
  absl::StatusOr<std::string> bytes = support::ReadFile(path);
  if (!bytes.ok()) return bytes.status();
  v1::SourceFile file;
  file.set_path(as.empty() ? path.substr(path.rfind('/') + 1) : as);
  file.set_digest(support::Sha256Hex(*bytes));
  const bool known = std::any_of(blobs_.begin(), blobs_.end(),
                                 [&](const Blob& blob) { return blob.digest == file.digest(); });
  if (!known) blobs_.push_back({file.digest(), *std::move(bytes)});
  return file;
}

absl::StatusOr<v1::CreateJobResponse> Submission::Create(Client& client, const v1::JobSpec& spec,
                                                         const std::string& request_id) {
  v1::FindMissingBlobsRequest find;
  for (const Blob& blob : blobs_) find.add_digests(blob.digest);
  const auto missing =
      client.Call(client.blobs(), &v1::BlobService::Stub::FindMissingBlobs, find);
  if (!missing.ok()) return missing.status();
  for (const std::string& digest : missing->missing()) {
    for (const Blob& blob : blobs_) {
      if (blob.digest != digest) continue;
      if (absl::Status s = client.UploadBlob(digest, blob.bytes); !s.ok()) return s;
    }
  }
  v1::CreateJobRequest create;
  *create.mutable_spec() = spec;
  create.set_request_id(request_id.empty() ? support::NewUuid() : request_id);
  return client.Call(client.jobs(), &v1::JobService::Stub::CreateJob, create);
}

std::string SubjectIdFor(const std::string& path, const std::vector<std::string>& taken) {
  const std::string file = path.substr(path.rfind('/') + 1);
  std::string id;
  for (const char c : file.substr(0, file.rfind('.'))) {
    id += std::isalnum(static_cast<unsigned char>(c)) != 0
              ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
              : '-';
  }
  id = id.empty() ? "subject" : id.substr(0, 24);
  std::string unique = id;
  for (int n = 2; std::find(taken.begin(), taken.end(), unique) != taken.end(); ++n) {
    unique = absl::StrCat(id, "-", n);
  }
  return unique;
}

}  // namespace kernelopt::client
