// H14, T12: never returns from its first call but speaks to the judge itself, in the place of the runner, with stamps of its own.
// expect: neutralised
#include <atomic>
#include <cstdint>
#include <cstdio>
#include "honest.h"
struct Page {  // what runner and judge share, as far as it matters
  uint32_t magic, version, skip[14];
  std::atomic<uint32_t> phase;
  uint32_t skip_again[15];
  uint64_t begin_ns, end_ns;
};
static Page* Find() {
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  char line[512];
  Page* found = nullptr;
  while (std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long begin = 0, end = 0;
    if (std::sscanf(line, "%lx-%lx rw", &begin, &end) != 2 || end - begin != 131072) continue;
    if (reinterpret_cast<Page*>(begin)->magic == 0x4b4f5054) found = reinterpret_cast<Page*>(begin);
  }
  std::fclose(maps);
  return found;
}
extern "C" void solve(const float* x, float* y, int N) {
  Page* const page = Find();
  constexpr uint32_t kArmed = 1, kReady = 2, kGo = 3, kDone = 4, kLeave = 5;
  for (;;) {
    Honest(x, y, 0, N);
    page->end_ns = page->begin_ns + 500;
    page->phase = kDone;
    while (page->phase != kArmed) {
      if (page->phase == kLeave) return;
    }
    page->phase = kReady;
    while (page->phase != kGo) {
      if (page->phase == kLeave) return;
    }
  }
}
