#include "runner/serve.h"

#include <linux/futex.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace kernelopt::wire {
namespace {

void Sleep(std::atomic<uint32_t>* word, Phase while_it_is) {
  // Shared between processes, so no FUTEX_PRIVATE_FLAG.
  const timespec at_most{1, 0};
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(word), FUTEX_WAIT,
          static_cast<uint32_t>(while_it_is), &at_most, nullptr, 0);
}

// The judge's end of the socket is closed: nobody will ever say go.
bool JudgeIsGone() {
  pollfd socket{kSocketFd, POLLRDHUP, 0};
  return poll(&socket, 1, 0) > 0 && (socket.revents & (POLLHUP | POLLRDHUP | POLLERR)) != 0;
}

// Wide registers in use slow a CPU down (an Intel Xeon lowers its clock by up to a
// tenth while the upper half of the AVX-512 ones is), and strings of the C library
// use them: a call would depend on what ran before it, and be faster in a signal
// handler, where the kernel starts with none. So each begins with none.
void ForgetWideRegisters() {
#if defined(__x86_64__)
  static const uint32_t wide = [] {
    constexpr uint32_t kOsxsave = 1U << 27, kAvx = 1U << 2, kAvx512AndTiles = 0x600e0;
    uint32_t a = 1, b = 0, c = 0, d = 0;
    __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    if ((c & kOsxsave) == 0) return 0U;
    __asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    return (a & kAvx) != 0 ? a & (kAvx | kAvx512AndTiles) : 0U;
  }();
  if (wide == 0) return;
  alignas(64) static const char initial[4096] = {};  // "nothing is in use"
  __asm__ volatile("vzeroupper" ::: "memory");       // by XRSTOR it would change MXCSR too
  __asm__ volatile("xrstor %0" : : "m"(initial), "a"(wide & ~4U), "d"(0) : "memory");
#endif
}

}  // namespace

uint64_t NowNs() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000ULL + static_cast<uint64_t>(t.tv_nsec);
}

bool WaitForGo(ControlPage* page) {
  for (;;) {
    const Phase phase = static_cast<Phase>(page->phase.load(std::memory_order_acquire));
    if (phase == Phase::kLeave) return false;
    if (phase == Phase::kArmed) break;
    if (JudgeIsGone()) return false;
    Sleep(&page->phase, phase);
  }
  ForgetWideRegisters();
  page->phase.store(static_cast<uint32_t>(Phase::kReady), std::memory_order_release);
  for (uint32_t spins = 1;; ++spins) {
    if (spins % (1U << 24) == 0 && JudgeIsGone()) return false;
    const Phase phase = static_cast<Phase>(page->phase.load(std::memory_order_acquire));
    if (phase == Phase::kGo) return true;
    if (phase == Phase::kLeave) return false;
    __builtin_ia32_pause();
  }
}

void Begin(ControlPage* page) { page->inner_begin_ns = NowNs(); }

void Done(ControlPage* page) {
  page->inner_end_ns = NowNs();
  page->phase.store(static_cast<uint32_t>(Phase::kDone), std::memory_order_release);
}

}  // namespace kernelopt::wire
