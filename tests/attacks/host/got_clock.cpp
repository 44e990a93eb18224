// T6: its own clock_gettime stands in for the C library's.
// expect: neutralised
#include <ctime>
#include <dlfcn.h>
#include <link.h>
#include <cstring>
#include <sys/mman.h>
#include "honest.h"
namespace {
int Frozen(clockid_t, timespec* t) {
  t->tv_sec = 1000, t->tv_nsec = 0;
  return 0;
}
// Rewrites the main program's entry for the function.
void Patch() {
  const auto* map = static_cast<link_map*>(dlopen(nullptr, RTLD_NOW));
  const ElfW(Sym)* symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Rela)* relocations = nullptr;
  unsigned long bytes = 0;
  for (const ElfW(Dyn)* d = map->l_ld; d->d_tag != DT_NULL; ++d) {
    if (d->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(d->d_un.d_ptr);
    if (d->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(d->d_un.d_ptr);
    if (d->d_tag == DT_JMPREL) relocations = reinterpret_cast<const ElfW(Rela)*>(d->d_un.d_ptr);
    if (d->d_tag == DT_PLTRELSZ) bytes = d->d_un.d_val;
  }
  for (unsigned long i = 0; i < bytes / sizeof(ElfW(Rela)); ++i) {
    const char* name = names + symbols[ELF64_R_SYM(relocations[i].r_info)].st_name;
    if (std::strcmp(name, "clock_gettime") != 0) continue;
    auto* slot = reinterpret_cast<void**>(map->l_addr + relocations[i].r_offset);
    const auto page = reinterpret_cast<unsigned long>(slot) & ~4095UL;
    mprotect(reinterpret_cast<void*>(page), 8192, PROT_READ | PROT_WRITE);
    *slot = reinterpret_cast<void*>(&Frozen);
  }
}
}  // namespace
extern "C" void solve(const float* x, float* y, int N) {
  static const bool done = (Patch(), true);
  (void)done;
  Honest(x, y, 0, N);
}
