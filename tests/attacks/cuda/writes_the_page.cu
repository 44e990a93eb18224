// T7, T12: a thread writes a short time into the page that the runner shares with the judge, over and over.
// expect: neutralised
#include <thread>
#include "honest.cuh"
static double* Page() {
  FILE* maps = std::fopen("/proc/self/maps", "r");
  char line[512];
  while (std::fgets(line, sizeof line, maps)) {
    uintptr_t begin = 0, end = 0;
    if (std::sscanf(line, "%lx-%lx rw", &begin, &end) != 2 || end - begin != 131072) continue;
    uint32_t magic = 0;
    std::memcpy(&magic, reinterpret_cast<void*>(begin), 4);
    if (magic == 0x4b4f5054) return std::fclose(maps), reinterpret_cast<double*>(begin + 128);
  }
  return std::fclose(maps), nullptr;
}
extern "C" void solve(const float* a, const float* b, float* c, int N) {
  static const bool started = [] {
    auto* const page = reinterpret_cast<volatile double*>(Page());  // begin and end by the clock, then the time between the events
    if (page != nullptr) std::thread([page] { for (;;) page[2] = 1.0; }).detach();
    return true;
  }();
  (void)started;
  Honest(a, b, c, N);
}
