#include "judge/line.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>
#include <new>

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

}  // namespace

absl::StatusOr<std::unique_ptr<Line>> Line::Make(Device& device, std::function<bool()> alive) {
  auto memory = device.Allocate(wire::kControlBytes, Access::kRunnerWrites);
  if (!memory.ok()) return memory.status();
  std::unique_ptr<Line> line(new Line());
  line->memory_ = *std::move(memory);
  line->page_ = new (line->memory_->data()) wire::ControlPage();
  line->page_->magic = wire::kMagic;
  line->page_->version = wire::kVersion;
  line->alive_ = std::move(alive);
  return line;
}

void Line::Wake(Phase phase) {
  page_->phase.store(static_cast<uint32_t>(phase), std::memory_order_release);
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&page_->phase), FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void Line::Leave() { Wake(Phase::kLeave); }

CallTime::End Line::WaitFor(Phase wanted, Phase meanwhile, int64_t start_ns, double timeout_us) {
  const auto timeout_ns = static_cast<int64_t>(timeout_us * 1000);
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
    if (!alive_()) return CallTime::End::kDied;
    if (stopped_ && stopped_()) return CallTime::End::kStopped;
    if (now_ns - start_ns > timeout_ns) return CallTime::End::kTimeout;
  }
}

CallTime Line::Call(const std::function<void()>& prepare, double timeout_us, double expect_us) {
  constexpr double kReadyTimeoutUs = 2e6;
  CallTime time;
  Wake(Phase::kArmed);
  time.end = WaitFor(Phase::kReady, Phase::kArmed, NowNs(), kReadyTimeoutUs);
  if (time.end != CallTime::End::kDone) {
    // A runner that does not even get ready did something between calls.
    if (time.end == CallTime::End::kTimeout) time.end = CallTime::End::kProtocol;
    return time;
  }
  if (prepare) prepare();
  const int64_t begin_ns = NowNs();
  page_->phase.store(static_cast<uint32_t>(Phase::kGo), std::memory_order_release);
  if (expect_us > kSleepAboveUs) SleepUntil(begin_ns + static_cast<int64_t>(expect_us * 500));
  time.end = WaitFor(Phase::kDone, Phase::kGo, begin_ns, timeout_us);
  const int64_t end_ns = NowNs();
  time.outer_us = static_cast<double>(end_ns - begin_ns) * 1e-3;
  const uint64_t inner_begin = page_->inner_begin_ns, inner_end = page_->inner_end_ns;
  time.inner_us = static_cast<double>(static_cast<int64_t>(inner_end - inner_begin)) * 1e-3;
  return time;
}

}  // namespace kernelopt::worker
