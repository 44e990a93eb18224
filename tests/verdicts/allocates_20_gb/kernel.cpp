// More than worker.kernel_bytes: malloc says no, and it does not listen.
#include <cstdlib>
#include <cstring>
extern "C" void solve(const float* x, float* y, int N) {
  char* memory = static_cast<char*>(std::malloc(20ULL << 30));
  std::memset(memory, 1, 20ULL << 30);
  for (int i = 0; i < N; ++i) y[i] = x[i] + memory[i];
}
