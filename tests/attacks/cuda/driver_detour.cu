// T5: rewrites the first bytes of the driver's function that tells the time between two events.
// expect: neutralised
#include <dlfcn.h>
#include <sys/mman.h>
#include "honest.cuh"
static int Short(float* ms, void*, void*) { return *ms = 0.001F, 0; }
static void Detour(const char* name) {
  auto* const code = static_cast<unsigned char*>(dlsym(dlopen("libcuda.so.1", RTLD_NOW), name));
  if (code == nullptr) return;
  const auto page = reinterpret_cast<uintptr_t>(code) & ~uintptr_t{4095};
  if (mprotect(reinterpret_cast<void*>(page), 8192, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return;
  const auto target = reinterpret_cast<uintptr_t>(Short);
  const unsigned char jump[2] = {0x48, 0xb8}, go[2] = {0xff, 0xe0};  // mov rax, target; jmp rax
  std::memcpy(code, jump, 2);
  std::memcpy(code + 2, &target, 8);
  std::memcpy(code + 10, go, 2);
}
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  static const bool done = [] { return Detour("cuEventElapsedTime"), Detour("cuEventElapsedTime_v2"), true; }();
  (void)done;
  Honest(a, b, c, N);
}
