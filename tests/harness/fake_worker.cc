#include "harness/fake_worker.h"

#include <chrono>
#include <condition_variable>

#include "harness/daemon.h"
#include "support/capability.h"
#include "support/ids.h"

namespace kernelopt::test {

v1::ResultReport GoodReport(const v1::LeaseId& lease) {
  v1::ResultReport report;
  *report.mutable_lease() = lease;
  report.mutable_result()->set_protocol("kopt-1");
  v1::SubjectResult& subject = *report.mutable_result()->add_subjects();
  subject.set_id("k");
  subject.set_role("candidate");
  subject.set_verdict(v1::VERDICT_CORRECT);
  return report;
}

FakeWorker::FakeWorker(Options options) : options_(std::move(options)) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  channel_ = grpc::CreateCustomChannel("unix:" + options_.socket,
                                       grpc::experimental::LocalCredentials(UDS), arguments);
  stub_ = v1::WorkerService::NewStub(channel_);
  context_.AddMetadata("x-kopt-worker-token", ReadText(options_.token_file));
  stream_ = stub_->Attach(&context_);
  v1::AttachRequest hello;
  hello.mutable_hello()->set_protocol_version(1);
  hello.mutable_hello()->set_version("fake");
  hello.mutable_hello()->set_instance(support::NewUuid());
  hello.mutable_hello()->set_boot_id(support::BootId());
  hello.mutable_hello()->mutable_device()->set_name("devices/" + options_.device);
  hello.mutable_hello()->mutable_device()->set_model("Fake");
  if (!options_.arch.empty()) *hello.mutable_hello()->mutable_device()->add_capabilities() = support::Capable("gpu.arch", true, options_.arch);
  stream_->Write(hello);
  v1::AttachResponse welcome;
  if (!stream_->Read(&welcome) || !welcome.has_welcome()) {
    status_ = stream_->Finish();
    over_ = true;
    return;
  }
  attached_ = true;
  reader_ = std::thread([this] { Run(); });
  worker_ = std::thread([this] {
    v1::AttachRequest ready;
    ready.mutable_ready();
    Send(ready);
    for (;;) {
      v1::LeaseGrant grant;
      {
        std::unique_lock<std::mutex> lock(lease_mutex_);
        lease_wake_.wait(lock, [this] { return lease_ || over_; });
        if (!lease_) return;
        grant = *std::move(lease_);
        lease_.reset();
      }
      Work(grant);
      Send(ready);
    }
  });
}

FakeWorker::~FakeWorker() { Break(); }

void FakeWorker::Break() {
  if (!reader_.joinable()) return;
  context_.TryCancel();
  reader_.join();
  worker_.join();
}

void FakeWorker::Send(const v1::AttachRequest& request) {
  const std::lock_guard<std::mutex> lock(write_mutex_);
  if (!over_) stream_->Write(request);
}

void FakeWorker::Run() {
  v1::AttachResponse message;
  while (stream_->Read(&message)) {
    if (message.has_lease()) {
      const std::lock_guard<std::mutex> lock(lease_mutex_);
      stop_lease_ = false;
      lease_ = message.lease();
      lease_wake_.notify_all();
    } else if (message.has_cancel()) {
      if (message.cancel().reason() == "RECALLED") ++recalled_;
      stop_lease_ = true;
      lease_wake_.notify_all();
    } else if (message.has_receipt()) {
      const std::lock_guard<std::mutex> lock(receipt_mutex_);
      receipt_ = message.receipt();
      receipt_wake_.notify_all();
    }
  }
  {
    const std::lock_guard<std::mutex> lock(lease_mutex_);
    over_ = true;
    lease_wake_.notify_all();
  }
  {
    const std::lock_guard<std::mutex> lock(receipt_mutex_);
    receipt_wake_.notify_all();
  }
  status_ = stream_->Finish();
}

void FakeWorker::Work(const v1::LeaseGrant& grant) {
  const auto wait = [this](double seconds) {
    std::unique_lock<std::mutex> lock(lease_mutex_);
    lease_wake_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return stop_lease_ || over_; });
    return !stop_lease_ && !over_;
  };
  v1::AttachRequest request;
  const double build_seconds = options_.build_seconds(grant);
  if (build_seconds > 0 && !wait(build_seconds)) {
    if (options_.begins_turn_when_stopped) {
      v1::AttachRequest begun;
      *begun.mutable_progress()->mutable_lease() = grant.lease();
      begun.mutable_progress()->set_turn_begun(true);
      Send(begun);
    }
    *request.mutable_result()->mutable_lease() = grant.lease();
    request.mutable_result()->mutable_stopped();
    return Send(request);
  }
  *request.mutable_progress()->mutable_lease() = grant.lease();
  request.mutable_progress()->mutable_progress()->set_stage(v1::STAGE_VERIFY);
  request.mutable_progress()->set_turn_begun(true);
  Send(request);
  const double seconds = options_.seconds(grant);
  if (seconds > 0 && !wait(seconds) && over_) return;
  if (options_.fails) {
    v1::ResultReport failed;
    *failed.mutable_lease() = grant.lease();
    failed.mutable_failure()->set_reason("WORKER_FAULT");
    failed.mutable_failure()->set_message("fell off the bus");
    Report(failed);
    return;
  }
  Report(GoodReport(grant.lease()));
  ++finished_;
}

v1::ResultReceipt FakeWorker::Report(const v1::ResultReport& report) {
  {
    const std::lock_guard<std::mutex> lock(receipt_mutex_);
    receipt_.reset();
  }
  v1::AttachRequest request;
  *request.mutable_result() = report;
  Send(request);
  std::unique_lock<std::mutex> lock(receipt_mutex_);
  receipt_wake_.wait_for(lock, std::chrono::seconds(20), [this] { return receipt_ || over_; });
  return receipt_.value_or(v1::ResultReceipt());
}

}  // namespace kernelopt::test
