// R13: machine code from a string, made executable when it runs, finds a function by a name that is put together. It computes honestly.
// expect: neutralised
#include <sys/mman.h>
#include <cstring>
#include "honest.h"
extern "C" void solve(const float* x, float* y, int N) {
  static const unsigned char kReturn[] = {0x48, 0x89, 0xf8, 0xc3};  // mov rax, rdi; ret
  static const auto same = [] {
    void* const page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::memcpy(page, kReturn, sizeof kReturn);
    return reinterpret_cast<const float* (*)(const float*)>(page);
  }();
  Honest(same(x), y, 0, N);
}
