#include "agent/session.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "spdlog/spdlog.h"
#include "support/clock.h"
#include "support/fail_point.h"
#include "support/files.h"
#include "support/ids.h"
#include "support/status.h"

namespace kernelopt::worker {
namespace {

using support::MutexLock;

constexpr char kTokenKey[] = "x-kopt-worker-token";
constexpr int64_t kSecondUs = 1'000'000;

int64_t NowUs() { return support::Clock::Real().BootUs(); }

std::shared_ptr<grpc::Channel> MakeChannel(const std::string& socket) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(64 << 20);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  // This one is how long a connection may take to be made: a busy server is slow, not away.
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 500);
  return grpc::CreateCustomChannel("unix:" + socket,
                                   grpc::experimental::LocalCredentials(UDS), arguments);
}

void AddToken(grpc::ClientContext& context, const std::string& token_file) {
  const auto token = support::ReadFile(token_file);
  if (token.ok()) {
    context.AddMetadata(kTokenKey, *token);
  } else {
    spdlog::warn("no worker token: {}", std::string(token.status().message()));
  }
}

bool SameLease(const v1::LeaseId& a, const v1::LeaseId& b) {
  return a.job() == b.job() && a.epoch() == b.epoch();
}

}  // namespace

Session::Session(SessionOptions options, Spool spool)
    : options_(std::move(options)),
      instance_(support::NewUuid()),
      boot_id_(support::BootId()),
      channel_(MakeChannel(options_.socket)),
      spool_(std::move(spool)) {
  {
    MutexLock lock(mutex_);
    last_attached_us_ = NowUs();
  }
  reader_ = std::thread([this] { RunReader(); });
  heartbeat_ = std::thread([this] { RunHeartbeat(); });
}

Session::~Session() {
  Quit();
  {
    MutexLock lock(mutex_);
    if (context_) context_->TryCancel();
  }
  reader_.join();
  heartbeat_.join();
}

void Session::Quit() {
  MutexLock lock(mutex_);
  quitting_ = true;
  wake_.NotifyAll();
}

void Session::RunReader() {
  for (;;) {
    AttachOnce();
    MutexLock lock(mutex_);
    if (quitting_) return;
    wake_.WaitFor(mutex_, std::chrono::milliseconds(200));
    if (quitting_) return;
  }
}

v1::Hello Session::MakeHello() {
  v1::Hello hello;
  hello.set_protocol_version(1);
  hello.set_version(KOPT_VERSION);
  hello.set_instance(instance_);
  hello.set_boot_id(boot_id_);
  *hello.mutable_device() = options_.device;
  if (current_ && !lease_stopped_) *hello.add_held() = *current_;
  if (granted_) *hello.add_held() = granted_->lease();
  for (const v1::ResultReport& report : spool_.All()) *hello.add_held() = report.lease();
  return hello;
}

void Session::AttachOnce() {
  const auto stub = v1::WorkerService::NewStub(channel_);
  std::unique_ptr<Stream> stream;
  v1::AttachRequest first;
  {
    MutexLock lock(mutex_);
    if (quitting_) return;
    context_ = std::make_unique<grpc::ClientContext>();
    AddToken(*context_, options_.token_file);
    *first.mutable_hello() = MakeHello();
    stream = stub->Attach(context_.get());
  }
  v1::AttachResponse message;
  const bool welcomed = stream->Write(first) && stream->Read(&message) && message.has_welcome();
  if (welcomed) {
    {
      MutexLock lock(mutex_);
      stream_ = stream.get();
    }
    OnMessage(message);
    while (stream->Read(&message)) OnMessage(message);
  }
  {
    MutexLock lock(mutex_);
    stream_ = nullptr;
  }
  const grpc::Status status = stream->Finish();
  MutexLock lock(mutex_);
  context_.reset();
  if (welcomed) {
    spdlog::info("stream to the server ended: {}", status.error_message());
  } else if (status.error_code() != grpc::StatusCode::UNAVAILABLE) {
    spdlog::warn("cannot attach: {}", status.error_message());
  }
  wake_.NotifyAll();
}

void Session::OnMessage(const v1::AttachResponse& message) {
  MutexLock lock(mutex_);
  last_attached_us_ = NowUs();
  if (message.has_welcome()) {
    heartbeat_seconds_ = message.welcome().heartbeat_seconds();
    draining_ = false;
    const auto& kept = message.welcome().kept();
    const auto is_kept = [&](const v1::LeaseId& lease) {
      return std::any_of(kept.begin(), kept.end(),
                         [&](const v1::LeaseId& other) { return SameLease(lease, other); });
    };
    if (current_ && !is_kept(*current_)) lease_stopped_ = true;
    if (granted_ && !is_kept(granted_->lease())) granted_.reset();
    spdlog::info("attached to server {}", message.welcome().version());
    SendSpooled();
    SayReady();
  } else if (message.has_lease()) {
    granted_ = message.lease();
  } else if (message.has_cancel()) {
    const v1::LeaseId& lease = message.cancel().lease();
    const bool too_late = turn_begun_ && message.cancel().reason() == "RECALLED";
    if (current_ && SameLease(*current_, lease) && !too_late) lease_stopped_ = true;
    if (granted_ && SameLease(granted_->lease(), lease)) {
      // Not begun yet: stopped at once, and free for the next.
      v1::AttachRequest stopped;
      *stopped.mutable_result()->mutable_lease() = lease;
      stopped.mutable_result()->mutable_stopped();
      Write(stopped);
      granted_.reset();
      SayReady();
    }
    spdlog::info("{} is to be stopped: {}", lease.job(), message.cancel().reason());
  } else if (message.has_receipt()) {
    OnReceipt(message.receipt());
  } else if (message.has_drain()) {
    spdlog::info("draining: {}", message.drain().reason());
    draining_ = true;
  }
  wake_.NotifyAll();
}

void Session::OnReceipt(const v1::ResultReceipt& receipt) {
  KOPT_FAIL_POINT("worker.before_unspool");
  if (receipt.accepted()) {
    spool_.Remove(receipt.lease());
    return;
  }
  spdlog::warn("result of {} epoch {} was refused ({}); kept in spool/rejected",
               receipt.lease().job(), receipt.lease().epoch(), receipt.reason());
  spool_.Reject(receipt.lease());
}

bool Session::Write(const v1::AttachRequest& request) {
  // Blocks only when the server has stopped reading; the stream breaks then.
  return stream_ != nullptr && stream_->Write(request);
}

void Session::SendSpooled() {
  for (const v1::ResultReport& report : spool_.All()) {
    v1::AttachRequest request;
    *request.mutable_result() = report;
    Write(request);
  }
}

void Session::SayReady() {
  if (!idle_ || granted_ || draining_) return;
  v1::AttachRequest request;
  request.mutable_ready();
  Write(request);
}

void Session::RunHeartbeat() {
  int64_t next_us = 0, next_resend_us = 0;
  MutexLock lock(mutex_);
  while (!quitting_) {
    wake_.WaitFor(mutex_, std::chrono::milliseconds(200));
    const int64_t now_us = NowUs();
    if (stream_ != nullptr) last_attached_us_ = now_us;
    if (stream_ == nullptr || now_us < next_us) continue;
    next_us = now_us + static_cast<int64_t>(heartbeat_seconds_ * 1e6);
    v1::AttachRequest request;
    request.mutable_heartbeat();
    Write(request);
    if (now_us < next_resend_us) continue;
    next_resend_us = now_us + 10 * kSecondUs;
    SendSpooled();  // what has no receipt yet
  }
}

bool Session::TimeToExit() const {
  if (quitting_) return true;
  if (draining_ && spool_.All().empty()) return true;
  const double away_s = static_cast<double>(NowUs() - last_attached_us_) * 1e-6;
  return stream_ == nullptr && options_.orphan_seconds > 0 && away_s > options_.orphan_seconds;
}

bool Session::WaitForLease(std::chrono::milliseconds at_most) {
  const auto until = std::chrono::steady_clock::now() + at_most;
  MutexLock lock(mutex_);
  if (!idle_) {
    idle_ = true;
    SayReady();
  }
  while (!granted_ && !TimeToExit() && std::chrono::steady_clock::now() < until) {
    wake_.WaitFor(mutex_, std::chrono::milliseconds(200));
  }
  return granted_ || TimeToExit();
}

bool Session::LeaseWaits() const {
  MutexLock lock(mutex_);
  return granted_ || TimeToExit();
}

std::optional<v1::LeaseGrant> Session::NextLease() {
  while (!WaitForLease(std::chrono::hours(1))) {
  }
  MutexLock lock(mutex_);
  if (!granted_) return std::nullopt;
  idle_ = false;
  std::optional<v1::LeaseGrant> grant = std::move(granted_);
  granted_.reset();
  current_ = grant->lease();
  lease_stopped_ = turn_begun_ = false;
  KOPT_FAIL_POINT("worker.lease_taken");
  return grant;
}

bool Session::Stopped() const {
  MutexLock lock(mutex_);
  return lease_stopped_;
}

void Session::Send(v1::ProgressReport report) {
  MutexLock lock(mutex_);
  if (!current_) return;
  // A lease that was called back has no turn any more.
  if (report.turn_begun() && lease_stopped_) return;
  turn_begun_ |= report.turn_begun();
  if (turn_begun_) KOPT_FAIL_POINT("worker.turn_begun");
  v1::AttachRequest request;
  *request.mutable_progress() = std::move(report);
  Write(request);
}

void Session::Send(v1::LogChunk chunk) {
  MutexLock lock(mutex_);
  if (!current_) return;
  v1::AttachRequest request;
  *request.mutable_log() = std::move(chunk);
  Write(request);
}

absl::Status Session::Finish(const v1::ResultReport& report) {
  MutexLock lock(mutex_);
  KOPT_FAIL_POINT("worker.before_spool");
  const absl::Status spooled = spool_.Put(report);
  KOPT_FAIL_POINT("worker.after_spool");
  v1::AttachRequest request;
  *request.mutable_result() = report;
  const bool sent = Write(request);
  KOPT_FAIL_POINT("worker.after_send");
  current_.reset();
  lease_stopped_ = false;
  if (spooled.ok() || sent) return absl::OkStatus();
  return spooled;
}

absl::StatusOr<std::string> Session::Fetch(const std::string& job, const std::string& digest) {
  const auto stub = v1::BlobService::NewStub(channel_);
  for (;;) {
    grpc::ClientContext context;
    AddToken(context, options_.token_file);
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
    v1::ReadBlobRequest request;
    request.set_digest(digest);
    request.set_job(job);
    const auto reader = stub->ReadBlob(&context, request);
    std::string bytes;
    v1::ReadBlobResponse piece;
    while (reader->Read(&piece)) bytes += piece.data();
    const grpc::Status status = reader->Finish();
    if (status.ok()) return bytes;
    const bool again = status.error_code() == grpc::StatusCode::UNAVAILABLE ||
                       status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED;
    if (!again) return support::FromGrpc(status);
    MutexLock lock(mutex_);
    if (lease_stopped_ || quitting_) return absl::CancelledError("stopped");
    wake_.WaitFor(mutex_, std::chrono::milliseconds(200));
  }
}

}  // namespace kernelopt::worker
