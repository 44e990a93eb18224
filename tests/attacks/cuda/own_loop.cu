// H14, T12: never returns from its first call but speaks to the judge itself, in the place of the runner, with times of its own.
// expect: caught
#include "honest.cuh"
struct Page {  // what runner and judge share, as far as it matters
  uint32_t magic, version, skip[14];
  std::atomic<uint32_t> phase;
  uint32_t skip_again[15];
  uint64_t begin_ns, end_ns;
  double device_us, lead_us;
  uint64_t returned_ns;
};
static Page* Find() {
  FILE* maps = std::fopen("/proc/self/maps", "r");
  char line[512];
  while (std::fgets(line, sizeof line, maps)) {
    uintptr_t begin = 0, end = 0;
    if (std::sscanf(line, "%lx-%lx rw", &begin, &end) != 2 || end - begin != 131072) continue;
    if (reinterpret_cast<Page*>(begin)->magic == 0x4b4f5054) return std::fclose(maps), reinterpret_cast<Page*>(begin);
  }
  return std::fclose(maps), nullptr;
}
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  Page* const page = Find();
  Honest(a, b, c, N);
  cudaDeviceSynchronize();
  constexpr uint32_t kArmed = 1, kReady = 2, kGo = 3, kDone = 4, kLeave = 5;
  for (;;) {
    page->device_us = 0.5;
    page->phase = kDone;
    while (page->phase != kArmed) {
      if (page->phase == kLeave) return;
    }
    page->phase = kReady;
    while (page->phase != kGo) {
      if (page->phase == kLeave) return;
    }
    Honest(a, b, c, N);
    cudaDeviceSynchronize();
    page->end_ns = page->begin_ns + 500;
  }
}
