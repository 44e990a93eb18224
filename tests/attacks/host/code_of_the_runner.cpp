// T5, H6: rewrites the first instructions of clock_gettime in its own process, so that the runner's stamps are a nanosecond apart.
// expect: neutralised
#include <dlfcn.h>
#include <sys/mman.h>
#include <cstdint>
#include <cstring>
#include <ctime>
#include "honest.h"
static int Frozen(clockid_t, timespec* t) {
  static long now = 0;
  t->tv_sec = 1000, t->tv_nsec = ++now;
  return 0;
}
extern "C" void solve(const float* x, float* y, int N) {
  static const bool patched = [] {
    auto* const code = static_cast<unsigned char*>(dlsym(RTLD_DEFAULT, "clock_gettime"));
    const auto page = reinterpret_cast<uintptr_t>(code) & ~uintptr_t{4095};
    if (mprotect(reinterpret_cast<void*>(page), 8192, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
    const auto target = reinterpret_cast<uintptr_t>(Frozen);
    const unsigned char jump[2] = {0x48, 0xb8}, go[2] = {0xff, 0xe0};  // mov rax, target; jmp rax
    std::memcpy(code, jump, 2);
    std::memcpy(code + 2, &target, 8);
    std::memcpy(code + 10, go, 2);
    return true;
  }();
  (void)patched;
  Honest(x, y, 0, N);
}
