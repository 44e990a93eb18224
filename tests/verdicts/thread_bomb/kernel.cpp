// Threads without end: the limit of the sandbox ends it, std::thread throws.
#include <thread>
#include <unistd.h>
#include <vector>
extern "C" void solve(const float* x, float* y, int N) {
  std::vector<std::thread> threads;
  for (;;) threads.emplace_back([] { pause(); });
}
