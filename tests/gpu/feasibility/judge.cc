#include "judge.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "absl/strings/str_format.h"
#include "judge/runner.h"
#include "kernels.h"
#include "support/files.h"

namespace kernelopt::feasibility {

namespace fs = kernelopt::support;
using kernelopt::worker::Sandbox;
using kernelopt::worker::SandboxSpec;

constexpr int64_t kFlushBytes = 256 << 20;

Judge::Judge(int64_t input_bytes, int64_t output_bytes)
    : inputs(MakeShared(input_bytes)), outputs(MakeShared(output_bytes)) {
  control_fd_.Reset(memfd_create("control", MFD_CLOEXEC));
  if (ftruncate(control_fd_.get(), 4096) != 0) throw Failure("ftruncate");
  control_ = static_cast<Control*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, control_fd_.get(), 0));
  CHECK_CUDA(cudaMalloc(&flush_a_, kFlushBytes));
  CHECK_CUDA(cudaMalloc(&flush_b_, kFlushBytes));
  CHECK_CUDA(cudaMalloc(&sink_, 64));
}

Judge::~Judge() {
  KillRunner();
  for (const Shared* shared : {&inputs, &outputs}) {
    cuMemUnmap(shared->at, static_cast<size_t>(shared->bytes));
    close(shared->fd);
  }
  cudaFree(flush_a_);
  cudaFree(flush_b_);
}

void Judge::KillRunner() { sandbox_.reset(); }

void Judge::StartRunner(const std::vector<std::string>& under) {
  call_ = 0;
  runner_log.clear();
  new (control_) Control();
  const std::string bin = fs::ProgramDirectory(), root = bin.substr(0, bin.rfind('/'));
  auto sockets = kernelopt::worker::MakeSocketPair();
  if (!sockets.ok()) throw Failure("socket pair");
  SandboxSpec spec;
  spec.arguments = under;
  spec.arguments.insert(spec.arguments.end(), {"/kopt/bundle/bin/feasibility", "--runner"});
  spec.read_only = {{root, "/kopt/bundle"}};
  if (!under.empty()) {
    spec.read_only.emplace_back("/opt", "/opt");  // a folder made on the way would be 0700
    spec.seccomp = kernelopt::worker::SeccompProfile::kCompiler;
  }
  spec.allowed_calls = {"socket"};  // the driver does not start without (section confine)
  if (const char* path = std::getenv("LD_LIBRARY_PATH")) spec.environment.emplace_back("LD_LIBRARY_PATH", path);
  spec.devices = {"/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm"};
  spec.limits.file_bytes = int64_t{1} << 40;  // CUDA maps files of its own
  spec.limits.processes = 512;
  spec.socket_fd = sockets->theirs.get();
  spec.log = [this](std::string_view text) { runner_log += text; };
  auto sandbox = Sandbox::Spawn(spec);
  if (!sandbox.ok()) throw Failure("sandbox: " + sandbox.status().ToString());
  sandbox_ = *std::move(sandbox);
  socket_ = std::move(sockets->ours);
  sockets->theirs.Reset();
  std::array<int64_t, 3> bytes = {4096, inputs.bytes, outputs.bytes};
  const auto sent = kernelopt::worker::SendPacket(
      socket_.get(), std::string_view(reinterpret_cast<const char*>(bytes.data()), sizeof bytes),
      {control_fd_.get(), inputs.fd, outputs.fd});
  if (!sent.ok()) throw Failure("send: " + sent.ToString());
  const auto hello = kernelopt::worker::ReceivePacket(socket_.get(), std::chrono::seconds(under.empty() ? 20 : 60));
  if (!hello.ok()) throw Failure("the runner said nothing: " + hello.status().ToString() + "; " + runner_log);
}

bool Judge::WaitFor(const std::atomic<uint32_t>& cell, uint32_t value, double timeout_us) const {
  const double until = NowUs() + timeout_us;
  while (cell.load(std::memory_order_acquire) != value) {
    if (NowUs() > until) return false;
  }
  return true;
}

double Judge::FillOnly() {
  const double begin = NowUs();
  Fill(reinterpret_cast<float*>(inputs.at), std::max<int64_t>(control_->count, 4096), nonce_, nullptr);
  nonce_ += 1u << 30;
  CHECK_CUDA(cudaDeviceSynchronize());
  return NowUs() - begin;
}

double Judge::Flush() {
  const double begin = NowUs();
  Fill(flush_a_, kFlushBytes / 4, nonce_++, nullptr);
  Read(flush_b_, kFlushBytes / 4, sink_, nullptr);
  CHECK_CUDA(cudaDeviceSynchronize());
  return NowUs() - begin;
}

double Judge::Work() {
  return FillOnly() + Flush();
}

double Judge::Sentinel(double us) {
  const double begin = NowUs();
  SpinNs(132, static_cast<int64_t>(us * 1e3), nullptr);
  CHECK_CUDA(cudaDeviceSynchronize());
  return NowUs() - begin;
}

double Judge::CallOnce(Before before, double timeout_us, Times* into) {
  ++call_;
  const bool frozen = before == Before::kFrozenWork || before == Before::kFrozenFill;
  double work = 0;
  const auto payload = sandbox_->payload();
  if (!payload.ok()) throw Failure("no payload: " + runner_log);
  if (frozen) {
    if (!(*payload)->Freeze().ok()) throw Failure("freeze");
  }
  if (before == Before::kFrozenWork) work = Work();
  if (before == Before::kFrozenFill || before == Before::kWork) FillOnly();
  control_->armed.store(call_, std::memory_order_release);
  if (frozen) (*payload)->Thaw();
  if (!WaitFor(control_->ready, call_, 5e6)) throw Failure("not ready; " + runner_log);
  if (before == Before::kFrozenFill || before == Before::kWork) work = Flush();
  if (before_go) before_go();
  const double t0 = NowUs();
  control_->go.store(call_, std::memory_order_release);
  const bool ended = WaitFor(control_->done, call_, timeout_us);
  const double outer = NowUs() - t0;
  if (!ended) return -1;
  if (!WaitFor(control_->ready, 0, 1e6)) return outer;  // a call that returned early
  if (into != nullptr) {
    into->inner.push_back(control_->inner_us);
    into->outer.push_back(outer);
    into->work.push_back(work);
  }
  return outer;
}

Times Judge::CallGated(int n, While meanwhile) {
  Times times;
  control_->gated = true;
  const auto payload = sandbox_->payload();
  if (!payload.ok()) throw Failure("no payload: " + runner_log);
  for (int i = 0; i < n + 5; ++i) {
    if (i == 5) times = {};
    ++call_;
    control_->armed.store(call_, std::memory_order_release);
    if (!WaitFor(control_->ready, call_, 5e6)) throw Failure("not ready; " + runner_log);
    control_->go.store(call_, std::memory_order_release);
    if (!WaitFor(control_->queued, call_, 5e6)) throw Failure("nothing was queued; " + runner_log);
    if (meanwhile == While::kStopped && !(*payload)->Freeze().ok()) throw Failure("freeze");
    times.work.push_back(Work());
    const double t0 = NowUs();
    control_->gate.store(call_, std::memory_order_release);
    const bool ended = WaitFor(control_->finished, call_, 5e6);
    times.outer.push_back(NowUs() - t0);
    (*payload)->Thaw();
    if (!ended || !WaitFor(control_->done, call_, 5e6) || !WaitFor(control_->ready, 0, 1e6)) {
      throw Failure("a call behind the gate did not end; " + runner_log);
    }
    times.inner.push_back(control_->inner_us);
  }
  control_->gated = false;
  return times;
}

Times Judge::Call(int n, Before before) {
  Times times;
  for (int i = 0; i < n + 5; ++i) {
    if (i == 5) times = {};
    if (CallOnce(before, 5e6, &times) < 0) throw Failure("a call did not end; " + runner_log);
  }
  return times;
}

double Quantile(std::vector<double> values, double q) {
  if (values.empty()) return NAN;
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(q * static_cast<double>(values.size() - 1) + 0.5)];
}

std::string Spread(const std::vector<double>& values) {
  return absl::StrFormat("%.2f (%.2f-%.2f)", Quantile(values, 0.5), Quantile(values, 0.05), Quantile(values, 0.95));
}

}  // namespace kernelopt::feasibility
