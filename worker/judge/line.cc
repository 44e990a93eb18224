#include "judge/line.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <ctime>
#include <new>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "device/host/memfd.h"
#include "support/patience.h"

namespace kernelopt::worker {
namespace {

using wire::Phase;

int64_t NowNs() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

void SleepUntil(int64_t ns) {
  const timespec until{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
}

constexpr double kSleepAboveUs = 500;
// CPU time a process may show between two calls. It stands still, so this is
// the resolution of the clock and no allowance.
constexpr double kIdleCpuUs = 1000;

}  // namespace

absl::StatusOr<std::unique_ptr<Line>> Line::Make(Sandbox& sandbox) {
  auto memory = MakeMemfd(wire::kControlBytes, Access::kRunnerWrites);
  if (!memory.ok()) return memory.status();
  std::unique_ptr<Line> line(new Line(sandbox));
  line->memory_ = *std::move(memory);
  line->page_ = new (line->memory_->data()) wire::ControlPage();
  line->page_->magic = wire::kMagic;
  line->page_->version = wire::kVersion;
  line->told_ = std::make_unique<wire::ControlPage>();
  return line;
}

absl::Status Line::Hold() {
  auto payload = sandbox_.payload();
  if (!payload.ok()) return payload.status();
  payload_ = *payload;
  if (absl::Status s = payload_->Freeze(); !s.ok()) return s;
  held_cpu_us_ = payload_->CpuUs();
  std::memcpy(static_cast<void*>(told_.get()), page_, sizeof *page_);
  return absl::OkStatus();
}

void Line::Leave() {
  page_->phase.store(static_cast<uint32_t>(Phase::kLeave), std::memory_order_release);
  if (payload_ != nullptr) payload_->Thaw();
  payload_ = nullptr;
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&page_->phase), FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

bool Line::PageIntact() const {
  const auto same = [](const void* a, const void* b, size_t n) { return std::memcmp(a, b, n) == 0; };
  return page_->magic == wire::kMagic && page_->version == wire::kVersion &&
         page_->argument_count == told_->argument_count &&
         page_->tensor_count == told_->tensor_count &&
         same(page_->arguments, told_->arguments, sizeof told_->arguments) &&
         same(page_->tensors, told_->tensors, sizeof told_->tensors);
}

CallTime::End Line::WaitFor(Phase wanted, Phase meanwhile, int64_t start_ns, double timeout_us) {
  support::Patience patience(timeout_us * 1e-6, static_cast<double>(start_ns) * 1e-9);
  int64_t next_look_ns = start_ns + 1'000'000;
  for (uint32_t spins = 0;; ++spins) {
    const auto phase = static_cast<Phase>(page_->phase.load(std::memory_order_acquire));
    if (phase == wanted) return CallTime::End::kDone;
    if (phase != meanwhile) return CallTime::End::kProtocol;
    __builtin_ia32_pause();
    if (spins % 64 != 63) continue;
    const int64_t now_ns = NowNs();
    if (now_ns < next_look_ns) continue;
    next_look_ns = now_ns + 1'000'000;
    if (!sandbox_.Alive()) return CallTime::End::kDied;
    if (stopped_ && stopped_()) return CallTime::End::kStopped;
    if (patience.IsOver(static_cast<double>(now_ns) * 1e-9)) return CallTime::End::kTimeout;
  }
}

void Line::Timed(CallTime& time, double timeout_us, double expect_us, const Moments& moments) {
  constexpr double kReadyTimeoutUs = 2e6;
  page_->phase.store(static_cast<uint32_t>(Phase::kArmed), std::memory_order_release);
  const int64_t thaw_ns = NowNs();
  payload_->Thaw();
  time.end = WaitFor(Phase::kReady, Phase::kArmed, thaw_ns, kReadyTimeoutUs);
  time.getting_ready_us = static_cast<double>(NowNs() - thaw_ns) * 1e-3;
  if (time.end == CallTime::End::kDone && moments.at_ready) time.ready_us = moments.at_ready();
  const int64_t begin_ns = NowNs();
  if (time.end != CallTime::End::kDone) {
    // A runner that does not even get ready was kept from it by the solution.
    if (time.end == CallTime::End::kTimeout) time.end = CallTime::End::kProtocol;
    return;
  }
  page_->phase.store(static_cast<uint32_t>(Phase::kGo), std::memory_order_release);
  if (expect_us > kSleepAboveUs) SleepUntil(begin_ns + static_cast<int64_t>(expect_us * 500));
  time.end = WaitFor(Phase::kDone, Phase::kGo, begin_ns, timeout_us);
  const int64_t end_ns = NowNs();
  if (time.end == CallTime::End::kDone && moments.at_done) moments.at_done();
  time.outer_us = static_cast<double>(end_ns - begin_ns) * 1e-3;
  const auto inner_begin = static_cast<int64_t>(page_->inner_begin_ns);
  const auto inner_end = static_cast<int64_t>(page_->inner_end_ns);
  time.inner_us = static_cast<double>(inner_end - inner_begin) * 1e-3;
  time.device_us = page_->device_us;
  time.lead_us = page_->lead_us;
  time.device_error = page_->device_error;
  time.host_us = static_cast<double>(static_cast<int64_t>(page_->returned_ns) - inner_begin) * 1e-3;
  time.impossible = inner_begin < begin_ns || inner_end > end_ns || inner_end < inner_begin;
  if (time.end != CallTime::End::kDone) return;
  const absl::Status frozen = payload_->Freeze();
  if (frozen.ok()) return;
  time.end = absl::IsUnavailable(frozen) ? CallTime::End::kDied : CallTime::End::kNotIdle;
  time.evidence = std::string(frozen.message());
}

CallTime Line::Call(double timeout_us, double expect_us, const Moments& moments) {
  CallTime time;
  const double idle_us = payload_->CpuUs() - held_cpu_us_;
  if (idle_us > kIdleCpuUs) {
    time.end = CallTime::End::kNotIdle;
    time.evidence = absl::StrFormat("%.0f us of CPU time while it was stopped", idle_us);
    return time;
  }
  Timed(time, timeout_us, expect_us, moments);
  if (time.end == CallTime::End::kProtocol) {
    time.evidence = absl::StrCat("phase word ", page_->phase.load());
  }
  if (time.end != CallTime::End::kDone) return time;
  const double cpu_us = payload_->CpuUs();
  time.aside_us = cpu_us - held_cpu_us_ - time.outer_us;
  held_cpu_us_ = cpu_us;
  const bool served = page_->phase.load() == static_cast<uint32_t>(Phase::kDone);
  if (served && PageIntact()) return time;
  time.end = CallTime::End::kProtocol;
  time.evidence = served ? "the table of arguments on the control page is not what the judge wrote"
                         : absl::StrCat("phase word ", page_->phase.load(), " after the call");
  return time;
}

}  // namespace kernelopt::worker
