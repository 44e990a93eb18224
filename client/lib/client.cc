#include "client/lib/client.h"

#include <chrono>
#include <random>
#include <thread>

#include "support/clock.h"

namespace kernelopt::client {
namespace {

constexpr int kTries = 5;

void Pause(int attempt) {
  static thread_local std::minstd_rand random(std::random_device{}());
  const int base_ms = 20 << attempt;
  std::this_thread::sleep_for(
      std::chrono::milliseconds(base_ms / 2 + static_cast<int>(random() % static_cast<unsigned>(base_ms))));
}

}  // namespace

bool IsTerminal(v1::JobState state) { return state >= v1::JOB_STATE_SUCCEEDED; }

Client::Client(const std::string& socket) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(64 << 20);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
  // This one is how long a connection may take to be made: a busy daemon is slow, not away.
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 500);
  channel_ = grpc::CreateCustomChannel("unix:" + socket, grpc::experimental::LocalCredentials(UDS),
                                       arguments);
  jobs_ = v1::JobService::NewStub(channel_);
  devices_ = v1::DeviceService::NewStub(channel_);
  system_ = v1::SystemService::NewStub(channel_);
  blobs_ = v1::BlobService::NewStub(channel_);
}

absl::Status Client::Retry(double deadline_s,
                           const std::function<grpc::Status(grpc::ClientContext&)>& call) {
  grpc::Status status;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    if (attempt > 0) Pause(attempt);
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() +
                         std::chrono::milliseconds(static_cast<int64_t>(deadline_s * 1e3)));
    status = call(context);
    if (status.error_code() != grpc::StatusCode::UNAVAILABLE) break;
  }
  return support::FromGrpc(status);
}

absl::Status Client::UploadBlob(const std::string& digest, const std::string& bytes) {
  constexpr size_t kPiece = 256 << 10;
  return Retry(kDeadlineSeconds, [&](grpc::ClientContext& context) {
    v1::WriteBlobResponse response;
    const auto writer = blobs_->WriteBlob(&context, &response);
    size_t at = 0;
    do {
      v1::WriteBlobRequest request;
      if (at == 0) request.set_digest(digest);
      request.set_data(bytes.substr(at, kPiece));
      at += kPiece;
      if (!writer->Write(request)) break;
    } while (at < bytes.size());
    writer->WritesDone();
    return writer->Finish();
  });
}

absl::StatusOr<v1::Job> Client::Watch(const std::string& job, double patience_s,
                                      const std::function<bool(const v1::Job&)>& on_change) {
  v1::Job last;
  double heard = support::MonotonicSeconds();
  for (;;) {
    grpc::ClientContext context;
    v1::WatchJobRequest request;
    request.set_name(job);
    request.set_from_revision(last.revision());
    const auto reader = jobs_->WatchJob(&context, request);
    v1::WatchJobResponse message;
    while (reader->Read(&message)) {
      heard = support::MonotonicSeconds();
      last = message.job();
      if (!on_change(last) || IsTerminal(last.state())) {
        context.TryCancel();
        reader->Finish();
        return last;
      }
    }
    const grpc::Status status = reader->Finish();
    const bool again = status.ok() || status.error_code() == grpc::StatusCode::UNAVAILABLE;
    if (!again || support::MonotonicSeconds() - heard > patience_s) {
      return status.ok() ? absl::UnavailableError("the stream ended early") : support::FromGrpc(status);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

absl::StatusOr<int64_t> Client::ReadLog(const std::string& job, int64_t offset, bool follow,
                                        const std::function<void(const std::string&)>& on_data) {
  grpc::ClientContext context;
  v1::ReadJobLogRequest request;
  request.set_name(job);
  request.set_offset(offset);
  request.set_follow(follow);
  const auto reader = jobs_->ReadJobLog(&context, request);
  v1::ReadJobLogResponse piece;
  while (reader->Read(&piece)) {
    offset = piece.offset() + static_cast<int64_t>(piece.data().size());
    on_data(piece.data());
  }
  const grpc::Status status = reader->Finish();
  if (!status.ok()) return support::FromGrpc(status);
  return offset;
}

}  // namespace kernelopt::client
