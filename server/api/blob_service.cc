#include "api/blob_service.h"

#include "absl/strings/str_cat.h"
#include "api/pull_stream.h"
#include "store/accounts.h"
#include "store/blob_rows.h"
#include "support/ids.h"
#include "support/sha256.h"

namespace kernelopt::server {
namespace {

constexpr char kTokenKey[] = "x-kopt-worker-token";

bool HasWorkerToken(const grpc::CallbackServerContext& context, const std::string& token) {
  const auto found = context.client_metadata().find(kTokenKey);
  return found != context.client_metadata().end() &&
         std::string(found->second.data(), found->second.size()) == token;
}

absl::Status NotFound(const std::string& digest) {
  return support::ReasonError(absl::StatusCode::kNotFound, support::Reason::BLOB_NOT_FOUND,
                              "no such blob, or not yours to read", {{"digest", digest}});
}

// One upload. Disk work is done on reader threads, one piece at a time.
class WriteReactor final : public grpc::ServerReadReactor<v1::WriteBlobRequest> {
 public:
  WriteReactor(ApiContext& api, const absl::StatusOr<Caller>& caller, v1::WriteBlobResponse* response)
      : api_(api), response_(response) {
    if (!caller.ok()) {
      Finish(support::ToGrpc(caller.status()));
      return;
    }
    uid_ = caller->uid;
    StartRead(&request_);
  }

  void OnReadDone(bool ok) override {
    api_.database.Read(
        [this, ok](SQLite::Database&) { return ok ? Append() : Commit(); },
        [this, ok](const absl::Status& status) {
          if (!status.ok()) {
            Finish(support::ToGrpc(status));
          } else if (ok) {
            StartRead(&request_);
          } else {
            Record();
          }
        });
  }

  void OnDone() override { delete this; }

 private:
  absl::Status Append() {
    if (!upload_) {
      if (!support::IsSha256Hex(request_.digest())) {
        return support::BadRequest({{"digest", "must be 64 lower-case hex digits"}});
      }
      if (absl::Status s = api_.disk.Check(); !s.ok()) return s;
      digest_ = request_.digest();
      auto upload = api_.blobs.Begin(api_.blob_bytes);
      if (!upload.ok()) return upload.status();
      upload_ = *std::move(upload);
    }
    return upload_->Append(request_.data());
  }

  absl::Status Commit() {
    if (!upload_) return support::BadRequest({{"digest", "the first message must name it"}});
    return upload_->Commit(digest_);
  }

  void Record() {
    api_.database.Write(
        [this](SQLite::Database& db) -> absl::Status {
          // A sweep may have taken the file just now, on this thread.
          if (!api_.blobs.Has(digest_)) {
            return support::ReasonError(absl::StatusCode::kUnavailable, support::Reason::BLOB_NOT_FOUND,
                                        "the blob was swept while it was written; write it again");
          }
          const int64_t limit = LimitsOf(db, uid_, api_.policy.quota).blob_bytes();
          absl::Status added = AddBlob(db, digest_, upload_->size(), uid_, limit, api_.clock.WallUs());
          // Refused, and nobody else's: its bytes must not stay on nobody's account.
          if (!added.ok() && !BlobExists(db, digest_)) api_.blobs.Remove(digest_);
          return added;
        },
        [this](const absl::Status& status) {
          response_->set_size(upload_->size());
          Finish(support::ToGrpc(status));
        });
  }

  ApiContext& api_;
  v1::WriteBlobResponse* response_;
  v1::WriteBlobRequest request_;
  uint32_t uid_ = 0;
  std::string digest_;
  std::unique_ptr<BlobFiles::Upload> upload_;
};

}  // namespace

grpc::ServerUnaryReactor* BlobService::FindMissingBlobs(grpc::CallbackServerContext* context,
                                                        const v1::FindMissingBlobsRequest* request,
                                                        v1::FindMissingBlobsResponse* response) {
  if (request->digests_size() > 1000) {
    return Reply(context, support::BadRequest({{"digests", "at most 1,000 in one call"}}));
  }
  return ReadAndReply(context, api_, [=](SQLite::Database& db, const Caller& caller) -> absl::Status {
    for (const std::string& digest : request->digests()) {
      if (!support::IsSha256Hex(digest)) {
        return support::BadRequest({{"digests", "must be 64 lower-case hex digits each"}});
      }
      if (!OwnsBlob(db, digest, caller.uid)) response->add_missing(digest);
    }
    return absl::OkStatus();
  });
}

grpc::ServerReadReactor<v1::WriteBlobRequest>* BlobService::WriteBlob(
    grpc::CallbackServerContext* context, v1::WriteBlobResponse* response) {
  return new WriteReactor(api_, Identify(*context, api_), response);
}

grpc::ServerWriteReactor<v1::ReadBlobResponse>* BlobService::ReadBlob(
    grpc::CallbackServerContext* context, const v1::ReadBlobRequest* request) {
  using Stream = PullStream<v1::ReadBlobResponse>;
  const absl::StatusOr<Caller> caller = Identify(*context, api_);
  const std::string digest = request->digest();
  const std::string job = support::IdOf(request->job());
  const bool worker = caller.ok() && MayBeWorker(caller->uid, api_.roles) &&
                      HasWorkerToken(*context, api_.worker_token) &&
                      api_.dispatcher.HoldsLease(job);
  struct State {
    int64_t offset = 0;
    bool allowed = false;
  };
  auto state = std::make_shared<State>();
  auto stream = Stream::Make(api_.database, [=, this](SQLite::Database& db) -> Stream::Next {
    if (!caller.ok()) return {.end = caller.status()};
    if (!support::IsSha256Hex(digest)) return {.end = NotFound(digest)};
    if (!state->allowed) {
      state->allowed = OwnsBlob(db, digest, caller->uid) || (worker && JobNamesBlob(db, job, digest));
      if (!state->allowed) return {.end = NotFound(digest)};
    }
    absl::StatusOr<std::string> data = api_.blobs.Read(digest, state->offset, 256 << 10);
    if (!data.ok()) return {.end = data.status()};
    if (data->empty() && state->offset > 0) return {.end = absl::OkStatus()};
    const bool empty_blob = data->empty();
    state->offset += empty_blob ? 1 : static_cast<int64_t>(data->size());
    v1::ReadBlobResponse message;
    message.set_data(*std::move(data));
    return {.message = std::move(message)};
  });
  stream->Poke();
  return stream.get();
}

}  // namespace kernelopt::server
